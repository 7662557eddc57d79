package import AgentEvents
internal import EventLoopExecutor
internal import Glibc
internal import LinuxSupport
internal import NIOCore
internal import NIOPosix
internal import Probes
internal import Synchronization

/// One run of one hook for one event, outside the agent.
///
/// The checks, environment and limits are those of the agent, but there is no queue, the trigger is not matched, and a
/// webhook does not wait for the machine to be online.
package struct SingleRun: Sendable {
    /// The hook.
    package enum Hook: Sendable {
        /// A configured hook.
        case configured(HookDefinition)
        /// A file in the directories.
        case file(name: String, path: String, timeout: Duration)
    }

    /// The hook.
    package let hook: Hook
    /// The event.
    package let event: HookEvent

    /// Creates a run without starting it.
    package init(_ hook: Hook, event: HookEvent) {
        self.hook = hook
        self.event = event
    }

    private var runnable: RunnableHook {
        switch hook {
        case .configured(let definition): RunnableHook(definition)
        case .file(let name, let path, let timeout): RunnableHook(file: path, name: name, timeout: timeout)
        }
    }

    /// Returns the plan of the run.
    ///
    /// Blocks while files are checked; nothing is executed or sent.
    package func plan() -> HookPlan {
        let hook = runnable
        let offer = HookOffer(event)
        switch hook.task {
        case .webhook(let webhook):
            let variables = hook.variables(for: offer, path: nil, superseded: 0)
            return HookPlan(
                action: .request(method: webhook.probe.request.method, url: webhook.probe.target.shownOrigin),
                variables: variables,
                input: webhook.body?.bytes(variables) ?? event.line
            )
        case .program(let command):
            do throws(HookRefusal) {
                let preparation = try HookPreparation(hook, command, for: offer, superseded: 0)
                return HookPlan(preparation, command)
            } catch {
                return HookPlan(
                    action: .refused(error),
                    variables: hook.variables(for: offer, path: nil, superseded: 0),
                    input: HookPreparation.input(event)
                )
            }
        }
    }

    /// Runs the hook, and returns its report.
    ///
    /// Blocks the calling thread until the run has ended, at most for its timeout.
    ///
    /// - Parameters:
    ///   - ownsProcess: `true` if the process has no other task, child or thread. SIGINT, SIGTERM and SIGHUP then stop the
    ///     run, and the timeout also ends what a program has started by a double fork.
    ///   - retrying: Called on another thread for each failed attempt of a webhook that is retried.
    /// - Returns: The report, and the first signal that was received, by which the caller should end the process.
    package func run(
        ownsProcess: Bool = false,
        retrying: @escaping @Sendable (WebhookRetry) -> Void = { _ in }
    ) -> (completion: HookCompletion, signal: Int32?) {
        let hook = runnable
        let offer = HookOffer(event)
        let ended: Ended =
            switch hook.task {
            case .webhook(let webhook):
                send(
                    webhook,
                    hook.variables(for: offer, path: nil, superseded: 0),
                    timeout: hook.timeout,
                    ownsProcess: ownsProcess,
                    retrying: retrying
                )
            case .program(let command): execute(command, of: hook, for: offer, ownsProcess: ownsProcess)
            }
        let start = HookQueue<HookOffer>.Start(element: offer, offered: .now, superseded: 0)
        var completion = ended.run.completion(of: hook, for: start, delay: .zero)
        completion.failures = ended.run.ending == .failed ? 1 : 0
        return (completion, ended.signal)
    }

    /// The end of the run, and the signal that was received.
    private typealias Ended = (run: HookRunEnd, signal: Int32?)

    private func execute(
        _ command: HookCommand,
        of hook: RunnableHook,
        for offer: HookOffer,
        ownsProcess: Bool
    ) -> Ended {
        let preparation: HookPreparation
        do throws(HookRefusal) {
            preparation = try HookPreparation(hook, command, for: offer, superseded: 0)
        } catch {
            return (HookRunEnd(outcome: .refused(error)), nil)
        }
        return Self.holdingSignals(if: ownsProcess) { signals in
            // The groups of an agent are its own, with the limits of its configuration.
            let containment = ownsProcess ? HookContainment(withoutGroupsBecause: "a single run has none") : nil
            return Self.waiting(signals, containment) { gate, ended in
                let process = HookProcess.start(preparation.launch, on: gate, in: containment, ended: ended)
                return { process.stop() }
            }
        }
    }

    private func send(
        _ webhook: Webhook,
        _ variables: [String: String],
        timeout: Duration,
        ownsProcess: Bool,
        retrying: @escaping @Sendable (WebhookRetry) -> Void
    ) -> Ended {
        Self.holdingSignals(if: ownsProcess) { signals in
            let prober = Prober()
            defer { prober.shutDownAndWait() }
            return Self.waiting(signals) { gate, ended in
                let run = WebhookRun.start(
                    webhook,
                    event: event,
                    variables: variables,
                    timeout: timeout,
                    prober: prober,
                    on: gate,
                    retrying: retrying,
                    ended: ended
                )
                return { run.stop() }
            }
        }
    }

    /// Calls a closure with the process's signals held, before any thread is started, or without them.
    private static func holdingSignals(if areHeld: Bool, _ body: (HeldSignals?) -> Ended) -> Ended {
        guard areHeld else { return body(nil) }
        let signals: HeldSignals
        do throws(SystemError) {
            signals = try HeldSignals()
        } catch {
            return (HookRunEnd(outcome: .notStarted(reason: "no descriptor for signals: \(error)")), nil)
        }
        defer { HeldSignals.giveBack() }
        return body(signals)
    }

    /// Starts a run on a loop of its own, and waits for its end.
    ///
    /// - Parameter begin: Starts the run, and returns the closure that stops it.
    private static func waiting(
        _ signals: HeldSignals?,
        _ containment: HookContainment? = nil,
        _ begin: (LoopGate, @escaping @Sendable (HookRunEnd) -> Void) -> () -> Void
    ) -> Ended {
        let wakeup: Wakeup
        let group: MultiThreadedEventLoopGroup
        do throws(SystemError) {
            wakeup = try Wakeup()
            group = try MultiThreadedEventLoopGroup(named: "hooks")
        } catch {
            return (HookRunEnd(outcome: .notStarted(reason: "no event loop: \(error)")), nil)
        }
        let gate = LoopGate(group.next())
        defer {
            gate.close()
            group.shutDown()
        }
        let result = Mutex<HookRunEnd?>(nil)
        let stop = begin(gate) { end in
            result.withLock { $0 = end }
            wakeup.signal()
        }
        var received: Int32?
        while true {
            if let end = result.withLock({ $0 }) { return (end, received) }
            let reason = wakeup.sleep(untilReady: signals?.descriptor ?? -1, for: POLLIN, deadline: nil)
            if reason == .woken { wakeup.reset() }
            while let signal = signals?.next() {
                if signal == SIGCHLD {
                    containment?.reap()
                } else {
                    received = received ?? signal
                    stop()
                }
            }
        }
    }
}

extension HookPlan {
    /// Creates the plan for a checked program.
    fileprivate init(_ preparation: HookPreparation, _ command: HookCommand) {
        let launch = preparation.launch
        self.init(
            action: .program(
                Program(
                    path: launch.file.path,
                    arguments: [launch.name ?? launch.file.path] + launch.arguments,
                    environment: launch.environment,
                    workingDirectory: launch.workingDirectory,
                    user: command.user,
                    group: command.group,
                    timeout: launch.timeout
                )
            ),
            variables: preparation.variables,
            input: launch.input
        )
    }
}

/// The plan of a hook's run for an event, without running it.
package struct HookPlan: Sendable, Hashable {
    /// The planned action.
    package enum Action: Sendable, Hashable {
        /// Run a program.
        case program(Program)
        /// Send a request.
        case request(method: String, url: String)
        /// Nothing, because the program is not trusted or cannot be run.
        case refused(HookRefusal)
    }

    /// A program that passed all checks.
    package struct Program: Sendable, Hashable {
        /// The path of the file, with all symbolic links resolved.
        package var path: String
        /// The arguments, starting with the program's name.
        package var arguments: [String]
        /// The whole environment.
        package var environment: [String: String]
        /// The working directory.
        package var workingDirectory: String
        /// The user to run as; nil for the current one.
        package var user: String?
        /// The group; nil for the user's own, or the current one.
        package var group: String?
        /// The timeout.
        package var timeout: Duration
    }

    /// The planned action.
    package var action: Action
    /// The `REACH_*` variables.
    package var variables: [String: String]
    /// The standard input of the program, or the body of the request.
    package var input: [UInt8]
}
