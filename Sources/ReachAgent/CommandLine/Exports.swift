// The text of commands is that of the other programs, too: each file of these commands has it without a line for it.
@_exported public import CommandText
