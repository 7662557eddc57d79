import Testing

@testable import EventJournal
