// A verdict is made of these: who evaluates chains needs one import.
@_exported public import CheckResults
