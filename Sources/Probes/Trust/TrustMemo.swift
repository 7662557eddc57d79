internal import Crypto
internal import FoundationEssentials
internal import Synchronization

/// The last answers of an evaluator, each with the span of time in which it holds.
///
/// An answer depends on the date only through comparisons with the dates in certificates and revocation lists. Between
/// two neighbouring ones of those nothing changes, and a moment that falls on one is never answered from memory.
final class TrustMemo: Sendable {
    /// What an answer is for.
    struct Key: Hashable {
        /// The hash of the certificates, each with its length: a server may present 100 KB, and others each time.
        private let digest: [UInt8]
        private let identity: ServerIdentity?
        private let generation: UInt64
        /// The number of bytes of the certificates.
        fileprivate let size: Int

        init(presented: [[UInt8]], identity: ServerIdentity?, generation: UInt64) {
            var hash = SHA256()
            for certificate in presented {
                withUnsafeBytes(of: UInt64(certificate.count).littleEndian) { hash.update(bufferPointer: $0) }
                hash.update(data: certificate)
            }
            digest = [UInt8](hash.finalize())
            self.identity = identity
            self.generation = generation
            size = presented.reduce(0) { $0 + $1.count }
        }
    }

    private struct Entry {
        let verdict: TrustVerdict
        let after: Date
        let before: Date
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
    }

    static let capacity = 64
    /// The number of bytes that the certificates of an answer may have to be kept: an answer describes each of them.
    static let maximumSize = 1 << 14
    private let state = Mutex(State())

    /// The answer for `key` at `date`, if it is known.
    func verdict(for key: Key, at date: Date) -> TrustVerdict? {
        state.withLock { state in
            guard var entry = state.entries[key], entry.after < date, date < entry.before else { return nil }
            state.uses &+= 1
            entry.lastUse = state.uses
            state.entries[key] = entry
            return entry.verdict
        }
    }

    /// Keeps an answer, and drops the one that was not used for longest when there are too many.
    ///
    /// - Parameter boundaries: All dates that the answer may depend on.
    func remember(_ verdict: TrustVerdict, for key: Key, at date: Date, boundaries: [Date]) {
        guard key.size <= Self.maximumSize else { return }
        let after = boundaries.filter { $0 <= date }.max() ?? .distantPast
        let before = boundaries.filter { $0 >= date }.min() ?? .distantFuture
        guard after < date, date < before else { return }
        state.withLock { state in
            state.uses &+= 1
            state.entries[key] = Entry(verdict: verdict, after: after, before: before, lastUse: state.uses)
            guard state.entries.count > Self.capacity,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            else { return }
            state.entries[oldest.key] = nil
        }
    }

    /// How many answers are kept.
    var count: Int { state.withLock { $0.entries.count } }
}
