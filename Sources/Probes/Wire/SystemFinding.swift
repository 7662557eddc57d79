package import CheckResults
internal import Glibc
internal import LinuxSupport
internal import NIOCore

/// Findings for failed socket system calls.
enum SystemFinding {
    /// Returns a finding for a failed call.
    ///
    /// - Parameters:
    ///   - error: The errno value.
    ///   - operation: The failed operation, for the evidence: `connect`.
    static func make(_ error: CInt, operation: String, subject: String) -> Finding {
        Finding(code(error), subject: subject, evidence: evidence(error, operation: operation))
    }

    /// Returns the evidence of a failed call, with the limit that was reached if the errno value does not tell it.
    static func evidence(_ error: CInt, operation: String) -> String {
        let text = "\(operation): \(SystemError(errno: error))"
        // A disk has nothing to do with it: epoll_ctl(2) fails so.
        return error == ENOSPC ? "\(text): no watch of epoll(7) is left (fs.epoll.max_user_watches)" : text
    }

    /// Returns a finding for a failure to connect or to send to an address.
    ///
    /// ENETUNREACH, EHOSTUNREACH and, over IPv6, EACCES stand for a local route that rejects packets, for a router's ICMP
    /// error and for a neighbour that does not answer. connect(2) itself fails only with the first; for other calls, the
    /// kernel's own lookup distinguishes it from the others. If that fails, the errno value decides.
    ///
    /// - Parameter isLocal: `true` for an error of connect(2) itself, of which the lookup may know nothing: a rule can be
    ///   for one port or one user.
    static func make(
        _ error: CInt,
        operation: String,
        over route: LocalRoute,
        isLocal: Bool = false
    ) -> Finding {
        let code = code(error)
        let evidence = evidence(error, operation: operation)
        let target = route.target
        let subject = target.description
        switch code {
        case .noRoute where target.isLinkLocal && target.zone == nil && route.interface == nil:
            let need = "a link-local address needs an interface (--interface)"
            return Finding(code, subject: subject, evidence: "\(evidence): \(need)")
        // A neighbour that does not answer is EHOSTUNREACH: also where the kernel assumes one, this is a router's error.
        case .noRoute
        where !isLocal && isRouterError(error, to: target) && [.accepted, .assumed].contains(route.state):
            return Finding(.hostUnreachable, subject: subject, evidence: "\(evidence), as a router answered")
        case .hostUnreachable where isLocal || route.isMissing:
            return Finding(.noRoute, subject: subject, evidence: evidence)
        // The lookup has selected a source address: TCP lacks a port.
        case .noAddress where error == EADDRNOTAVAIL && [.accepted, .assumed].contains(route.state):
            let need = "no local port is left (net.ipv4.ip_local_port_range)"
            return Finding(.resourcesExhausted, subject: subject, evidence: "\(evidence): \(need)")
        case .connectTimeout: return route.silence ?? Finding(code, subject: subject, evidence: evidence)
        default: return Finding(code, subject: subject, evidence: evidence)
        }
    }

    /// Returns whether a router's ICMP error can be the cause of ENETUNREACH, EACCES or EINVAL.
    ///
    /// The kernel's tables (`icmp_err_convert`, `icmpv6_err_convert`) turn only ICMPv6 errors into EACCES, and none into
    /// EINVAL: those are of a rule for some flows, or of a security module.
    private static func isRouterError(_ error: CInt, to target: WireEndpoint) -> Bool {
        error == ENETUNREACH || error == EACCES && target.isIPv6
    }

    /// Returns the code for an errno value of connect(2), send(2) or recv(2), or of epoll_ctl(2) before them.
    static func code(_ error: CInt) -> FindingCode {
        switch error {
        case ECONNREFUSED: .connectRefused
        case ECONNRESET, ECONNABORTED, EPIPE: .connectReset
        case ETIMEDOUT: .connectTimeout
        case EHOSTUNREACH, EHOSTDOWN: .hostUnreachable
        // A route of type blackhole fails with EINVAL, one of type prohibit with EACCES.
        case ENETUNREACH, EINVAL, EACCES: .noRoute
        // Netfilter, IPsec and the control group's programs discard a packet of this machine with EPERM.
        case EPERM: .localFirewall
        case EADDRNOTAVAIL, EAFNOSUPPORT: .noAddress
        case ENETDOWN: .linkDown
        case ENODEV, ENXIO: .interfaceUnknown
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN, ENOSPC: .resourcesExhausted
        default: .connectFailed
        }
    }

    /// Returns a finding for a failure to bind to an interface.
    static func interface(_ error: CInt, _ name: String) -> Finding {
        switch error {
        case ENODEV, EINVAL:
            Finding(.interfaceUnknown, subject: name, evidence: "SO_BINDTODEVICE: \(SystemError(errno: error))")
        case EPERM, EACCES:
            Finding(.interfaceNotPermitted, subject: name, evidence: "SO_BINDTODEVICE: \(SystemError(errno: error))")
        default: make(error, operation: "SO_BINDTODEVICE", subject: name)
        }
    }
}

/// Carries a finding through a future.
struct WireFailure: Error {
    let finding: Finding
}

/// Maps the kernel's errors for a connection attempt to findings.
enum ConnectFailure {
    /// Returns the finding for an attempt's error; the subject is the address.
    static func finding(_ error: any Error, connectingOver route: LocalRoute) -> Finding {
        let subject = route.target.description
        switch error {
        case let failure as WireFailure: return failure.finding
        case let failure as IOError:
            return SystemFinding.make(
                failure.errnoCode,
                operation: "connect",
                over: route,
                isLocal: failure.isOfConnectCall
            )
        case ChannelError.connectTimeout:
            return Finding(.connectTimeout, subject: subject, evidence: "no answer to the connection attempt")
        default:
            return Finding(.connectFailed, subject: subject, evidence: String(describing: error))
        }
    }
}

extension IOError {
    /// `true` for an error of connect(2) itself, and not one of the pending connection (SO_ERROR).
    ///
    /// NIO has the same type for both, with the name of its function in the description.
    var isOfConnectCall: Bool { description.hasPrefix("connect(descriptor:") }
}

extension FindingCode {
    /// `true` for codes of failures on this machine, which say nothing about the target.
    package var isLocalFault: Bool {
        switch self {
        case .noRoute, .noAddress, .localFirewall, .reversePathFilter, .linkDown, .interfaceUnknown,
            .interfaceNotPermitted, .cellularNotAllowed, .dnsTimeout, .dnsFailure, .resolverBusy, .resourcesExhausted,
            .cancelled, .icmpNotPermitted, .requestInvalid, .budgetExhausted, .pathChanged, .transferYielded,
            .transferMetered, .transferBusy, .tlsRootsUnavailable:
            true
        default: false
        }
    }
}
