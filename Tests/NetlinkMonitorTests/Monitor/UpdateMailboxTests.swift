internal import Testing

@testable internal import NetlinkMonitor

/// Updates on their way to a consumer that takes its time.
struct UpdateMailboxTests {
    private let mailbox = UpdateMailbox()

    /// A network of so many links, and what is new since there was one fewer.
    private func update(_ count: UInt32) -> NetworkUpdate {
        func snapshot(_ count: UInt32) -> NetworkSnapshot {
            NetworkSnapshot(links: (0..<count).map { Link(index: $0 + 1, name: "eth\($0)") })
        }
        let new = snapshot(count)
        return NetworkUpdate(
            snapshot: new,
            changes: count == 0 ? [] : new.diff(from: snapshot(count - 1)),
            observed: .now
        )
    }

    private func takeAll(_ count: Int) async -> [NetworkUpdate] {
        var updates: [NetworkUpdate] = []
        for _ in 0..<count {
            if let update = await mailbox.take() { updates.append(update) }
        }
        return updates
    }

    @Test("a consumer that keeps up gets every update in order")
    func inOrder() async {
        for count: UInt32 in 0..<UInt32(UpdateMailbox.capacity) { mailbox.put(update(count)) }
        let updates = await takeAll(UpdateMailbox.capacity)
        #expect(updates.map(\.snapshot.links.count) == Array(0..<UpdateMailbox.capacity))
    }

    @Test("for a slow consumer the newest updates are merged, and their changes still lead from one to the next")
    func merging() async throws {
        let sent = 1000
        for count in 0...UInt32(sent) { mailbox.put(update(count)) }
        let updates = await takeAll(UpdateMailbox.capacity)
        #expect(updates.count == UpdateMailbox.capacity)
        #expect(updates.last?.snapshot.links.count == sent)
        for (before, after) in zip(updates, updates.dropFirst()) {
            #expect(after.changes == after.snapshot.diff(from: before.snapshot))
        }
        #expect(updates.last?.changes.count == sent - (UpdateMailbox.capacity - 2))
        mailbox.put(update(1))
        #expect(await mailbox.take()?.snapshot.links.count == 1)
    }

    @Test("a waiting consumer gets the update when it arrives")
    func waiting() async {
        async let taken = mailbox.take()
        mailbox.put(update(3))
        #expect(await taken?.snapshot.links.count == 3)
    }

    @Test("a merged update has the net difference: of a change that was reverted, nothing")
    func revertedChanges() async {
        for count in 0..<UInt32(UpdateMailbox.capacity) { mailbox.put(update(count)) }
        let last = UInt32(UpdateMailbox.capacity) - 2
        mailbox.put(update(last))
        let updates = await takeAll(UpdateMailbox.capacity)
        #expect(updates.last?.snapshot.links.count == Int(last))
        #expect(updates.last?.changes.isEmpty == true)
    }

    @Test("of two waiting consumers the earlier one ends, and the later one gets the update", .timeLimit(.minutes(5)))
    func displacement() async {
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<2 { group.addTask { [mailbox] in await mailbox.take()?.snapshot.links.count } }
            #expect(await group.next() == .some(nil))
            mailbox.put(update(3))
            #expect(await group.next() == 3)
        }
    }

    @Test("cancellation ends every consumer, also after one has displaced the other", .timeLimit(.minutes(5)))
    func cancelledDisplacement() async {
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<2 { group.addTask { [mailbox] in await mailbox.take()?.snapshot.links.count } }
            group.cancelAll()
            for await count in group { #expect(count == nil) }
        }
    }

    @Test("a cancelled consumer gets nothing more, whether it waited or not")
    func cancellation() async {
        let consumer = Task { [mailbox] in await mailbox.take() }
        consumer.cancel()
        #expect(await consumer.value == nil)
        mailbox.put(update(1))
        #expect(await mailbox.take() == nil)
    }
}
