internal import AgentEvents
internal import EventJournal
internal import NetlinkMonitor
internal import Reachability

extension JournalCondition.Code: ExplainedCode {
    /// The meaning and the remedy.
    var explanation: Explanation.Meaning {
        switch self {
        case .writeFailed:
            (
                "The journal's disk is full, over quota, read-only or broken; the newest events are queued in memory.",
                """
                `df -h /var/lib/reachagent` and `dmesg` show the reason. Writing is retried with the next event; no restart is \
                needed.
                """
            )
        case .syncFailed:
            (
                "The journal's disk did not accept written data.",
                "Look at the disk: `dmesg`, `smartctl`. A new segment is started."
            )
        case .stalled:
            (
                "The journal's disk was so slow that events were delivered before they were recorded, or never recorded.",
                "Look at the disk: `iostat -x 1`; set 'journal_sync' to \"never\" on slow flash."
            )
        case .deleted:
            (
                "Files of the journal were deleted or truncated from outside; recording continues in a new segment.",
                "Let the agent delete them: 'journal_size', 'journal_age'."
            )
        case .leaseFound:
            (
                "The previous agent ended while it could not write: the numbers that it may have used are skipped.",
                "Nothing."
            )
        case .resumed: ("All events are recorded again.", "Nothing.")
        }
    }
}

extension Overrun.Code: ExplainedCode {
    /// The meaning and the remedy; after each loss the agent reads everything again by itself.
    var explanation: Explanation.Meaning {
        switch self {
        case .bufferFull:
            (
                "The kernel dropped messages, because the receive buffer was full: everything is read again.",
                "If it is frequent, raise the buffer's limit: `sysctl net.core.rmem_max`."
            )
        case .truncated:
            ("A kernel message was longer than the read buffer: everything is read again.", "Report it.")
        case .malformed:
            (
                "A kernel message could not be parsed: everything is read again.",
                "Report it with the kernel's version."
            )
        case .dumpInterrupted:
            (
                "The kernel's tables kept changing while they were read.",
                "Nothing; if it persists, something changes the network in a loop: `ip monitor`."
            )
        case .requestFailed:
            (
                "A request to the kernel failed.",
                "Look for a lack of memory (`dmesg`), or a sandbox without AF_NETLINK."
            )
        }
    }
}

extension ProblemCode: ExplainedCode {
    /// The meaning and the remedy.
    var explanation: Explanation.Meaning {
        switch self {
        case .noProbeConfigured:
            (
                "The agent has no probe, so it does not know whether anything answers.",
                """
                Write a configuration with two: `reachagent config init`; start an agent that reads none anew, with one or \
                with probes of its own.
                """
            )
        case .certificateExpiring:
            (
                "A certificate that a probe checks expires soon, or has expired.",
                """
                Renew it, and make the server load the new one; for an authority's, make the server send its new one: \
                `reachagent status probes` has the dates.
                """
            )
        case .flapping:
            (
                "A state or a verdict changes too often to be relied on.",
                "Look for a bad cable, a roaming Wi-Fi, or a probe with too short a timeout: `reachagent history`."
            )
        }
    }
}

extension Reachability.Connectivity: ExplainedCode {
    /// The meaning and the remedy: of a problem of a status, the code where no check has the reason.
    var explanation: Explanation.Meaning {
        switch self {
        case .unknown:
            (
                "Nothing is known, or not yet: there is no probe, no verdict decides, or this machine could not check.",
                "`reachagent status` has the reason; `reachagent check` checks now."
            )
        case .none:
            ("No packet can leave.", "`reachagent interfaces` and `ip route` show what is missing.")
        case .local:
            (
                "There is a path, and no answer from beyond the first hop.",
                "Ping the gateway: with an answer the fault lies beyond it, at the provider; `reachagent diagnose` does."
            )
        case .portal:
            (
                "A captive portal answers in the targets' place.",
                "Open a page without TLS in a browser, such as http://example.org/, and log in."
            )
        case .partial:
            (
                "Something answers, but not everything that is required.",
                "`reachagent status probes` has those that are not up first."
            )
        case .full: ("All required probes are up, as far as this machine can check them.", "Nothing.")
        }
    }
}
