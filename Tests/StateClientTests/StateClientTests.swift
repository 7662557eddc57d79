import Testing

@testable import StateClient
