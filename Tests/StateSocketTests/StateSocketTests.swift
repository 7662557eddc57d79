import Testing

@testable import StateSocket
