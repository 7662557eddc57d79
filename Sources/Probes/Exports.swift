// A check needs them all: a probe is a request with expectations and a policy, and its report consists of results. They
// are re-exported so that clients import only this module.
@_exported public import CheckResults
@_exported public import ForeignText
@_exported public import HTTPSerialization
@_exported public import ServerTrust
