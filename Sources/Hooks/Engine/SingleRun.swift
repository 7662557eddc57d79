package import AgentEvents
internal import Dispatch
internal import EventLoopExecutor
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
    /// - Parameter retrying: Called on another thread for each failed attempt of a webhook that is retried.
    package func run(retrying: @escaping @Sendable (WebhookRetry) -> Void = { _ in }) -> HookCompletion {
        let hook = runnable
        let offer = HookOffer(event)
        let end =
            switch hook.task {
            case .webhook(let webhook):
                send(
                    webhook,
                    hook.variables(for: offer, path: nil, superseded: 0),
                    timeout: hook.timeout,
                    retrying: retrying
                )
            case .program(let command): execute(command, of: hook, for: offer)
            }
        let start = HookQueue<HookOffer>.Start(element: offer, offered: .now, superseded: 0)
        var completion = end.completion(of: hook, for: start, delay: .zero)
        completion.failures = end.ending == .failed ? 1 : 0
        return completion
    }

    private func execute(
        _ command: HookCommand,
        of hook: RunnableHook,
        for offer: HookOffer
    ) -> HookRunEnd {
        let preparation: HookPreparation
        do throws(HookRefusal) {
            preparation = try HookPreparation(hook, command, for: offer, superseded: 0)
        } catch {
            return HookRunEnd(outcome: .refused(error))
        }
        return Self.waiting { gate, ended in
            _ = HookProcess.start(preparation.launch, on: gate, ended: ended)
        }
    }

    private func send(
        _ webhook: Webhook,
        _ variables: [String: String],
        timeout: Duration,
        retrying: @escaping @Sendable (WebhookRetry) -> Void
    ) -> HookRunEnd {
        let prober = Prober()
        defer { prober.shutDownAndWait() }
        return Self.waiting { [event] gate, ended in
            _ = WebhookRun.start(
                webhook,
                event: event,
                variables: variables,
                timeout: timeout,
                prober: prober,
                on: gate,
                retrying: retrying,
                ended: ended
            )
        }
    }

    /// Starts a run on a loop of its own, and waits for its end.
    private static func waiting(
        _ begin: @escaping @Sendable (LoopGate, @escaping @Sendable (HookRunEnd) -> Void) -> Void
    ) -> HookRunEnd {
        let group: MultiThreadedEventLoopGroup
        do throws(SystemError) {
            group = try MultiThreadedEventLoopGroup(named: "hooks")
        } catch {
            return HookRunEnd(outcome: .notStarted(reason: "no event loop: \(error)"))
        }
        let gate = LoopGate(group.next())
        defer {
            gate.close()
            try? group.syncShutdownGracefully()
        }
        let isOver = DispatchSemaphore(value: 0)
        let result = Mutex(HookRunEnd(outcome: .stopped))
        gate.execute {
            begin(gate) { end in
                result.withLock { $0 = end }
                isOver.signal()
            }
        }
        isOver.wait()
        return result.withLock { $0 }
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
