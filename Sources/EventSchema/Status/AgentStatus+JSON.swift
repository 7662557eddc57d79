public import EventEnvelope
internal import NetlinkMonitor
internal import Reachability

extension AgentStatus: JSONRepresentable {
    /// The most settled transitions that are written; the newest are.
    public static let mostRecent = 10
    /// The most hooks that are written; those that fail are the first.
    public static let mostHooks = 64

    /// The status as one JSON object in UTF-8, on one line.
    public var json: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }

    /// Writes the object that docs/status.md describes.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.name("agent")
            json.object { json in agent.writeMembers(now: now, to: &json) }
            json.member("time", Timestamp(now))
            reachability.writeMembers(now: now, to: &json)
            json.name("targets")
            json.array(targets) { json, entry in
                json.object { json in
                    json.member("name", entry.target.name)
                    entry.standing.writeMembers(now: now, to: &json)
                }
            }
            if !probes.isEmpty { ProbeList(probes, now: now).writeMembers(to: &json) }
            if !uplinks.isEmpty {
                json.name("uplinks")
                json.array(uplinks) { json, uplink in uplink.write(to: &json) }
            }
            json.member("schedule", ifPresent: schedule) { $1.write(to: &$0) }
            json.member("configuration", ifPresent: configuration) { $1.write(to: &$0) }
            if !hooks.isEmpty { HookList(hooks, atMost: Self.mostHooks).writeMembers(to: &json) }
            json.name("interfaces")
            json.array(network.links.values.sorted { $0.index < $1.index }) { json, link in
                let addresses = network.addresses.filter { $0.interfaceIndex == link.index }
                link.writeBriefly(addresses: addresses, in: network, to: &json)
            }
            json.name("recent")
            json.array(recent.suffix(Self.mostRecent)) { json, transition in transition.write(to: &json) }
            json.member("last_seq", lastSequence)
            json.member("journal", ifPresent: journal) { $1.write(to: &$0) }
            json.member("sockets", ifPresent: sockets) { $1.write(to: &$0) }
            json.member("synchronized", network.isSynchronized)
            json.member("overruns", overruns)
        }
    }
}

extension AgentFacts {
    fileprivate func writeMembers(now: ObservedTime, to json: inout JSONWriter) {
        json.member("version", version)
        json.member("schema", EventDraft.schemaVersion)
        json.member("pid", processID)
        json.member("started", Timestamp(started))
        json.member("uptime_ms", started.milliseconds(until: now))
        json.member("boot_id", ifPresent: origin.bootID)
        json.member("stream", origin.streamID)
    }
}

extension Standing where State: JSONRepresentable {
    fileprivate func writeMembers(now: ObservedTime, to json: inout JSONWriter) {
        json.member("state", state)
        json.member("since", ifPresent: since) { $1.write(to: &$0) }
        json.member("for_ms", ifPresent: since) { $0.number($1.milliseconds(until: now)) }
        json.member("via_since", ifPresent: viaSince) { $1.write(to: &$0) }
        json.member("via_for_ms", ifPresent: viaSince) { $0.number($1.milliseconds(until: now)) }
        json.member("connectivity_since", ifPresent: connectivitySince) { $1.write(to: &$0) }
        json.member("connectivity_for_ms", ifPresent: connectivitySince) { $0.number($1.milliseconds(until: now)) }
        json.member("cause", ifPresent: cause) { $1.write(to: &$0) }
        json.member("pending", ifPresent: pending) { json, pending in
            json.object { json in
                json.member("state", pending.state)
                json.member("since", Timestamp(pending.since))
                json.member("for_ms", pending.since.milliseconds(until: now))
                json.member("cause", pending.cause)
            }
        }
    }
}

extension ObservedTime {
    /// How long ago the moment was, by the clock that does not jump.
    func milliseconds(until now: ObservedTime) -> Int64 {
        max(0, instant.duration(to: now.instant).milliseconds)
    }

    func write(to json: inout JSONWriter) { Timestamp(self).write(to: &json) }
}

extension Link {
    /// Writes what a first look needs: neither evidence nor flags.
    fileprivate func writeBriefly(
        addresses: [InterfaceAddress],
        in snapshot: NetworkSnapshot,
        to json: inout JSONWriter
    ) {
        json.object { json in
            json.member("ifindex", index)
            json.member("name", name)
            json.member("kind", kind.rawValue)
            if classification.isGuess { json.member("kind_is_guess", true) }
            json.member("usable", snapshot.canPassPackets(self))
            json.member("state", snapshot.stateDescription(of: self))
            json.name("addresses")
            json.array(addresses) { json, address in address.write(to: &json) }
        }
    }
}
