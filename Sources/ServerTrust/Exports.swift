// The types of a verdict: a caller that evaluates chains needs only one import.
@_exported public import CheckResults
