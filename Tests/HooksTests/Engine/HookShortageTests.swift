import AgentEvents
import AgentTestKit
import Foundation
import Glibc
import ProbeTestKit
import Probes
import Synchronization
import Testing

@testable import Hooks

/// A process that is short of descriptors when the first hook needs an event loop.
struct HookShortageTests {
    private static let hook = HookDefinition(
        name: "tell",
        action: .command(HookCommand(arguments: ["/bin/sh", "-c", ":"])),
        trigger: HookTrigger(types: [.reachabilityChanged])
    )

    @Test(arguments: [UInt(0), 1, 2])
    func `without descriptors for an event loop events wait, and the next one retries`(_ spare: UInt) async {
        await #expect(processExitsWith: .success) { [spare] in
            let log = CompletionLog()
            let notices = Mutex<[String]>([])
            let shortage = try DescriptorShortage(sparing: spare)
            let runner = HookRunner(
                HookSettings(definitions: [Self.hook]),
                noticed: { notice in notices.withLock { $0.append(notice) } },
                completed: { log.note($0) }
            )
            runner.deliver(SampleEvent.reachability(1))
            try shortage.end()
            // A failure in another process is reported without its values.
            let told = notices.withLock { $0 }
            #expect(!runner.hasThread, "no shortage: \(told)")
            // Of a type that no hook needs.
            runner.deliver(SampleEvent.probe("web", 2))
            #expect(runner.hasThread, "\(notices.withLock { $0 })")
            let events = await log.reports(1).map(\.triggerSequence)
            #expect(events == [1], "\(events)")
            #expect(told == ["no hook runs until an event loop can be started: Too many open files"], "\(told)")
            await runner.stopped()
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `directories are read again after a shortage of descriptors, and their files get the event`() async {
        await #expect(processExitsWith: .success) {
            let fixture = try HookFixture()
            try fixture.file("10-late", Data("#!/bin/sh\n".utf8))
            let log = CompletionLog()
            let notices = AsyncStream<String>.makeStream()
            let runner = HookRunner(
                HookSettings(directories: [fixture.directory]),
                noticed: { notices.continuation.yield($0) },
                completed: { log.note($0) }
            )
            await withCheckedContinuation { next in runner.whenFree { next.resume() } }
            let shortage = try DescriptorShortage()
            runner.deliver(SampleEvent.reachability(1))
            var iterator = notices.stream.makeAsyncIterator()
            let notice = await iterator.next()
            try shortage.end()
            #expect(await log.reports(1).map(\.triggerSequence) == [1])
            let refusal = "hook_unreadable (\(fixture.directory)): cannot be examined: Too many open files"
            #expect(notice?.contains(refusal) == true, "\(notice ?? "")")
            await runner.stopped()
        }
    }

    @Test func `hooks that are removed before an event loop can be started never run`() async {
        await #expect(processExitsWith: .success) {
            let log = CompletionLog()
            let shortage = try DescriptorShortage()
            let runner = HookRunner(HookSettings(definitions: [Self.hook])) { log.note($0) }
            try shortage.end()
            runner.configure(HookSettings())
            runner.deliver(SampleEvent.reachability(1))
            await runner.stopped()
            #expect(log.completions.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `a secret that lacks a descriptor is read again for each retry`(_ passes: Bool) async {
        await #expect(processExitsWith: .success) { [passes] in
            let secret = try SecretFileBench("sesame")
            let server = try await ScriptedServer.start([.serve(ScriptedResponse(200))])
            let webhook = try WebhookBench.webhook(server.url("/hook")) { $0.secretFile = secret.path }
            let bench = WebhookBench()
            let shortage = try DescriptorShortage()
            bench.start(
                webhook,
                isExcluded: {
                    if passes, !bench.questions.isEmpty { try? shortage.end() }
                    return false
                }
            )
            let end = try #require(await bench.end())
            try shortage.end()
            let detail = "\(secret.path) cannot be opened: Too many open files"
            let lasting = HookRunEnd.Outcome.undelivered(code: "resources_exhausted", detail: detail)
            #expect(end.outcome == (passes ? .succeeded : lasting), "\(end)")
            #expect(end.attempts == (passes ? 2 : 3))
            #expect(server.connections == (passes ? 1 : 0))
            await bench.prober.shutDown()
            await server.shutDown()
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `a secret that lacks a thread to be read by is read for the next retry`() async {
        await #expect(processExitsWith: .success) {
            let webhook = try WebhookBench.webhook("http://127.0.0.1:9/hook") { $0.secretFile = "/nowhere/secret" }
            let bench = WebhookBench()
            let shortage = try ThreadShortage(sparing: 0)
            bench.start(
                webhook,
                isExcluded: {
                    if !bench.questions.isEmpty { try? shortage.end() }
                    return false
                }
            )
            let end = try #require(await bench.end())
            #expect(end.undeliveredDetail == "/nowhere/secret cannot be opened: No such file or directory")
            #expect(end.attempts == 1 && bench.questions.map(\.failures) == [1])
        }
    }

    @Test(arguments: [UInt(0), 1, 2])
    func `a single run without descriptors for an event loop is not started`(_ spare: UInt) async {
        await #expect(processExitsWith: .success) { [spare] in
            // Nothing of a webhook needs a descriptor before.
            let webhook = try WebhookBench.webhook("http://127.0.0.1/hook")
            let hook = HookDefinition(name: "web", action: .webhook(webhook))
            let shortage = try DescriptorShortage(sparing: spare)
            let completion = SingleRun(.configured(hook), event: WebhookBench.event).run().completion
            try shortage.end()
            #expect(completion.ending.outcome == "not_started")
            #expect(completion.ending.reason == "no event loop: Too many open files")
        }
    }
}
