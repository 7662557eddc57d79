public import EventEnvelope
public import NetlinkMonitor

extension Link {
    /// Writes an interface with its addresses, as `reachagent interfaces --json` prints it.
    public func write(addresses: [InterfaceAddress], in snapshot: NetworkSnapshot, to json: inout JSONWriter) {
        json.object { json in
            json.member("ifindex", index)
            json.member("name", name)
            json.member("kind", kind.rawValue)
            if classification.isGuess { json.member("kind_is_guess", true) }
            json.name("evidence")
            json.array(classification.evidence) { json, evidence in
                json.object { json in
                    json.member("source", evidence.source.rawValue)
                    json.member("value", evidence.value)
                }
            }
            json.member("usable", snapshot.canPassPackets(self))
            json.member("state", snapshot.stateDescription(of: self))
            json.member("up", flags.contains(.up))
            json.member("lower_up", flags.contains(.lowerUp))
            json.member("operstate", operationalState.description)
            json.member("arphrd", hardwareType)
            json.member("info_kind", ifPresent: driverKind)
            json.member("lower", ifPresent: lowerIndex.map(snapshot.interfaceName))
            json.member("master", ifPresent: masterIndex.map(snapshot.interfaceName))
            json.member("parent", ifPresent: parentDevice)
            json.member("remote", ifPresent: tunnelRemote?.description)
            json.name("addresses")
            json.array(addresses) { json, address in address.write(to: &json) }
        }
    }
}

extension InterfaceAddress: JSONRepresentable {
    /// Writes `{"address":…,"prefix_length":…,"usable":…,…}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("address", address.description)
            json.member("prefix_length", prefixLength)
            json.member("usable", isUsable)
            json.member("peer", ifPresent: peer?.description)
            let marks: [(Flags, String)] = [
                (.tentative, "tentative"), (.duplicateDetected, "dadfailed"), (.deprecated, "deprecated"),
                (.optimistic, "optimistic"),
            ]
            var flags = marks.filter { self.flags.contains($0.0) }.map(\.1)
            if address.family == .ipv6, self.flags.contains(.temporary) { flags.append("temporary") }
            if !flags.isEmpty {
                json.name("flags")
                json.array(flags) { $0.string($1) }
            }
        }
    }
}

extension Route {
    /// Writes a default route, with the interfaces' names.
    func write(in snapshot: NetworkSnapshot, to json: inout JSONWriter) {
        json.object { json in
            json.member("family", family.rawValue)
            json.member("destination", destination.description)
            json.member("type", type.description)
            json.member("table", table)
            json.member("protocol", `protocol`)
            json.member("metric", metric)
            json.member("nexthop_object", ifPresent: nextHopObject) { $0.number($1) }
            json.name("nexthops")
            json.array(nextHops) { json, hop in
                json.object { json in
                    json.member("interface", ifPresent: hop.interfaceIndex.map(snapshot.interfaceName))
                    json.member("gateway", ifPresent: hop.gateway?.description)
                    if hop.weight != 1 { json.member("weight", hop.weight) }
                }
            }
        }
    }
}

extension NetworkChange: JSONRepresentable {
    /// Writes `{"code":…,"interface":…,"family":…,"detail":…}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("code", code.rawValue)
            json.member("interface", ifPresent: interfaceName)
            json.member("family", ifPresent: family?.rawValue)
            json.member("detail", detail)
        }
    }
}
