internal import CheckResults
internal import Crypto
internal import FoundationEssentials
internal import Synchronization

/// The cached verdicts of an evaluator, each with the time span in which it is valid.
///
/// A verdict depends on the date only through comparisons with the dates in certificates and revocation lists. Between
/// two neighbouring ones nothing changes, and a time equal to one of them is never answered from the cache.
final class TrustMemo: Sendable {
    /// The key of a verdict.
    struct Key: Hashable {
        /// The hash of the certificates, each with its length: a server may present 100 KB, and different ones each
        /// time.
        private let digest: [UInt8]
        private let identity: ServerIdentity?
        private let generation: UInt64
        /// The size of the certificates, in bytes.
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
    /// The maximum size of the certificates of a cached verdict, in bytes: a verdict describes each of them.
    static let maximumSize = 1 << 14
    private let state = Mutex(State())

    /// Returns the cached verdict for `key` at `date`, if any.
    func verdict(for key: Key, at date: Date) -> TrustVerdict? {
        state.withLock { state in
            guard var entry = state.entries[key], entry.after < date, date < entry.before else { return nil }
            state.uses &+= 1
            entry.lastUse = state.uses
            state.entries[key] = entry
            return entry.verdict
        }
    }

    /// Caches a verdict, and evicts the least recently used one if there are too many.
    ///
    /// - Parameter boundaries: All dates on which the verdict may depend.
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

    /// The number of cached verdicts.
    var count: Int { state.withLock { $0.entries.count } }
}
