// One check needs them all: a probe is a request with expectations and a policy, and its report is made of results. Who
// imports this module has them without a line for each.
@_exported public import CheckResults
@_exported public import ForeignText
@_exported public import HTTPSerialization
@_exported public import ServerTrust
