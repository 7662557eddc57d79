public import EventEnvelope
internal import NetlinkMonitor
public import Reachability

extension Path {
    /// Writes the path's members into an object that is open.
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("via", via.rawValue)
        json.member("reason", ifPresent: reason?.rawValue)
        json.member("interface", ifPresent: interface?.name)
        json.member("ifindex", ifPresent: interface?.index) { $0.number($1) }
        json.member("kind", ifPresent: interface?.kind.rawValue)
        if interface?.kindIsGuess == true { json.member("kind_is_guess", true) }
        json.member("gateway", ifPresent: gateway?.description)
        json.member("source", ifPresent: source?.description)
        json.member("prefix", ifPresent: prefix?.description)
        json.member("table", ifPresent: table) { $0.number($1) }
        json.member("metric", ifPresent: metric) { $0.number($1) }
        json.member("underlay", ifPresent: underlay) { json, underlay in
            json.object { json in
                json.member("interface", ifPresent: underlay.interface?.name)
                json.member("kind", ifPresent: underlay.interface?.kind.rawValue)
                json.member("evidence", underlay.evidence.rawValue)
                if !underlay.evidence.isCertain { json.member("is_guess", true) }
            }
        }
        if !deadLegs.isEmpty {
            json.name("dead_legs")
            json.array(deadLegs) { json, leg in leg.write(to: &json) }
        }
        json.member("unconnected", ifPresent: unconnected) { json, branch in branch.write(to: &json) }
    }
}

extension PathBranch: JSONRepresentable {
    /// Writes `{"interface":…,"gateway":…,"reason":…}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("interface", ifPresent: interface?.name)
            json.member("gateway", ifPresent: gateway?.description)
            json.member("reason", ifPresent: reason?.rawValue)
        }
    }
}

extension Path: JSONRepresentable {
    /// Writes `{"via":…,"reason":…,"interface":…,…}`; what does not apply is left out.
    public func write(to json: inout JSONWriter) { json.object { writeMembers(to: &$0) } }
}

extension ReachabilityState: JSONRepresentable {
    /// Writes `{"via":…,"af_status":…,"connectivity":…,"reason":…,"path":{…,"ipv4":{…},"ipv6":{…}}}`.
    ///
    /// What the probes say follows `connectivity`, where they say more than that.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("via", via.rawValue)
            json.member("af_status", via.afStatus)
            json.member("connectivity", connectivity.rawValue)
            json.member("connectivity_reason", ifPresent: connectivityReason?.code)
            json.member("connectivity_probe", ifPresent: connectivityReason?.probe)
            json.member("portal_url", ifPresent: connectivityReason?.portalURL)
            if familyConnectivity != FamilyConnectivity() {
                json.name("connectivity_by_family")
                json.object { json in
                    json.member("ipv4", familyConnectivity.ipv4.rawValue)
                    json.member("ipv6", familyConnectivity.ipv6.rawValue)
                }
            }
            if isFlapping { json.member("flapping", true) }
            json.member("reason", ifPresent: path.reason?.rawValue)
            json.name("path")
            json.object { json in
                let path = path
                let start = json.bytes.count
                path.writeMembers(to: &json)
                let members = start..<json.bytes.count
                // One of the two families is the path itself: its text is there already.
                for (name, family) in [("ipv4", ipv4), ("ipv6", ipv6)] as [(StaticString, Path)] {
                    json.name(name)
                    if family == path {
                        json.object(repeating: members)
                    } else {
                        family.write(to: &json)
                    }
                }
            }
        }
    }
}

extension TargetState: JSONRepresentable {
    /// Writes `{"via":…,"af_status":…,"reason":…,"address":…,"path":{…}}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("via", via.rawValue)
            json.member("af_status", via.afStatus)
            json.member("reason", ifPresent: path.reason?.rawValue)
            json.member("address", address.description)
            json.member("path", path)
        }
    }
}

extension ChangeCause: JSONRepresentable {
    /// Writes `{"kind":…,"code":…,"interface":…,"detail":…}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("kind", kind.rawValue)
            json.member("code", code)
            json.member("interface", ifPresent: interface)
            json.member("detail", ifPresent: detail)
        }
    }
}
