internal import Synchronization

/// The last page, which is handed out again to those who ask within the same moment: many readers that follow one event
/// cost as much as one.
final class PageCache: Sendable {
    /// The time for which a page is the present one while no event follows.
    private static let lifetime: Duration = .milliseconds(250)

    /// The sources of a page, as far as events change them.
    struct Version: Equatable {
        /// The number of the newest event that the status has.
        var sequence: UInt64
        /// The number of events that the history has.
        var taken: UInt64
    }

    private struct Entry {
        var version: Version
        var made: ContinuousClock.Instant
        var page: [UInt8]
    }

    private let entry = Mutex<Entry?>(nil)

    /// The page of a version.
    ///
    /// - Parameters:
    ///   - version: The version, read before the page is made: a page may be newer than its version, never older.
    ///   - make: Makes the page; called where the last one is of the past.
    func page(
        of version: Version,
        at now: ContinuousClock.Instant = .now,
        _ make: () -> [UInt8]
    ) -> [UInt8] {
        let kept = entry.withLock { entry in
            entry.flatMap { $0.version == version && $0.made.duration(to: now) < Self.lifetime ? $0.page : nil }
        }
        if let kept { return kept }
        let page = make()
        entry.withLock { $0 = Entry(version: version, made: now, page: page) }
        return page
    }
}
