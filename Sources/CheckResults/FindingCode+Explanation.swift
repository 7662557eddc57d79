extension FindingCode {
    /// The meaning of the code, as a sentence.
    public var sentence: String { explanation.meaning }

    /// The remedy for the operator, as a sentence, with options of the command line such as `--ca-file`.
    public var remedy: String { explanation.remedy }

    /// The remedy for a check of the configuration: with keys such as `'ca_file'` instead of options.
    public var configuredRemedy: String {
        // Text in backquotes is a command, whose options stay unchanged.
        let parts = remedy.split(separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            guard index % 2 == 0 else { return String(part) }
            let words = part.split(separator: " ", omittingEmptySubsequences: false)
            return words.map { $0.hasPrefix("--") ? Self.key(of: $0.dropFirst(2)) : String($0) }.joined(separator: " ")
        }.joined(separator: "`")
    }

    /// Returns the configuration key of an option, in quotation marks; the text after the option's name is unchanged.
    private static func key(of option: Substring) -> String {
        let name = String(option.prefix { $0.isLetter || $0.isNumber || $0 == "-" })
        let key = keys[name] ?? String(name.map { $0 == "-" ? "_" : $0 })
        return "'\(key)'" + option.dropFirst(name.count)
    }

    /// The keys whose names differ from those of their options.
    private static let keys = ["http1": "http1_only", "pin-certificate": "pin_certificates", "pin-spki": "pins"]

    private var explanation: (meaning: String, remedy: String) {
        switch self {
        case .dnsNXDomain:
            (
                "The name does not exist.",
                "Check the spelling, the search domains, and whether the zone is served where this machine asks."
            )
        case .dnsNoAddress:
            (
                "The name exists and has no address of the wanted family.",
                "Add an A or AAAA record, or leave out the restriction to one family."
            )
        case .dnsTimeout:
            (
                "The resolver did not answer in time.",
                "Check the name server that a dns:// target names, or those in /etc/resolv.conf or `resolvectl status`."
            )
        case .dnsFailure:
            (
                "No name server could answer.",
                "Ask the name servers directly: `reachagent probe dns://RESOLVER/NAME`."
            )
        case .resolverBusy:
            (
                "All lookups that may run at once are stuck in the system's resolver.",
                "Find out why the system's resolver hangs; the probe did not get its turn."
            )
        case .linkDown:
            (
                "The interface is down.",
                "Bring the interface up, or probe over another one."
            )
        case .noRoute:
            (
                "The kernel has no route to the address.",
                "Look at `reachagent route ADDRESS`, and at `ip rule` for rules about a protocol or port."
            )
        case .noAddress:
            (
                "There is no address of this family to send from.",
                "Check the interface's addresses: `ip address`."
            )
        case .localFirewall:
            (
                "A firewall of this machine does not let the packet leave.",
                "Look at the rules for output, `nft list ruleset`, and at IPAddressDeny= of the unit that runs the check."
            )
        case .reversePathFilter:
            (
                "This machine discards the answers: they arrive over an interface to which its route back does not lead.",
                "Use the loose mode, `sysctl net/ipv4/conf/INTERFACE/rp_filter=2`; if no other route leads back, use 0."
            )
        case .hostUnreachable:
            (
                "A router or the neighbour lookup says that the host cannot be reached.",
                "Check that the host is up and on the network that the route says."
            )
        case .connectRefused:
            (
                "Nothing listens on the port, or a firewall refuses the connection.",
                "Check that the service runs and listens on this address and port."
            )
        case .connectTimeout:
            (
                "No answer to the connection attempt.",
                "A firewall that drops, a dead host, or a broken path: compare with `reachagent probe icmp://HOST`."
            )
        case .connectReset:
            (
                "The peer reset the connection while it was being made.",
                "A firewall or an overloaded service; check the peer's log."
            )
        case .connectFailed:
            (
                "The connection could not be made for another reason.",
                "The evidence holds the kernel's error."
            )
        case .interfaceUnknown:
            (
                "There is no interface of that name.",
                "`reachagent interfaces` lists them."
            )
        case .interfaceNotPermitted:
            (
                "The kernel does not let this process bind to an interface.",
                "Linux 5.7 and later allow it to all users; before, CAP_NET_RAW is needed."
            )
        case .cellularNotAllowed:
            (
                "The check may not use a cellular interface, and the path is one.",
                "Allow cellular access for the check, or wait for another path."
            )
        case .tlsHandshake:
            (
                "The TLS handshake failed.",
                "The evidence holds the TLS library's words; compare protocol versions and ciphers."
            )
        case .tlsAlert:
            (
                "The server aborted the handshake with an alert.",
                "The alert's name says what it rejected."
            )
        case .tlsProtocolVersion:
            (
                "Client and server have no TLS version in common.",
                "Upgrade the server to TLS 1.2 or later; if --tls-minimum is 1.3, set it to 1.2."
            )
        case .tlsNotSpoken:
            (
                "The server answered with something that is not TLS.",
                "Check the port: is it a plain HTTP port?"
            )
        case .tlsClosed:
            (
                "The server closed the connection during the handshake.",
                "Look at the server's log; a missing SNI name or a rate limit are common."
            )
        case .tlsRecord:
            (
                "A TLS record that came after the handshake cannot be read.",
                "Something between this machine and the server damages or injects bytes: compare over another uplink; if all have it, look at the server."
            )
        case .tlsClientCertificate:
            (
                "The server asks for a client certificate that it did not get or does not accept.",
                "Give --client-certificate and --client-key."
            )
        case .tlsExpired:
            (
                "A certificate is no longer valid.",
                "Renew it, and make the server load the new one."
            )
        case .tlsNotYetValid:
            (
                "A certificate is not valid yet.",
                "Check this machine's clock first, then the certificate."
            )
        case .tlsUntrustedRoot:
            (
                "No chain of certificates leads to a trusted root.",
                "Name the issuing authority with --ca-file, instead of the system's roots, or make the server send its intermediate certificates."
            )
        case .tlsSelfSigned:
            (
                "The server's certificate is signed by itself and not trusted.",
                "Trust it with --ca-file, or have it issued by an authority; a pin alone does not make it valid."
            )
        case .tlsMissingIntermediate:
            (
                "The server did not send the certificate that issued its own.",
                "Configure the full chain on the server; an authority of your own is given with --ca-file."
            )
        case .tlsHostname:
            (
                "The certificate is not for this name.",
                "Compare the names in the certificate with the URL; is it the right server?"
            )
        case .tlsNoSubjectAlternativeName:
            (
                "The certificate has no subject alternative name; a common name does not count.",
                "Reissue it with the name as a subject alternative name."
            )
        case .tlsPurpose:
            (
                "The certificate may not be used for a TLS server.",
                "Reissue it with the extended key usage serverAuth and the key usage digitalSignature."
            )
        case .tlsNotAnAuthority:
            (
                "A certificate that issued another one is not a certificate authority.",
                "Fix the chain on the server; an attacker may be forging certificates."
            )
        case .tlsPathLength:
            (
                "The chain is longer than one of its authorities or the caller allows.",
                "Fix the chain on the server."
            )
        case .tlsNameConstraints:
            (
                "An authority in the chain may not issue for this name.",
                "Have the certificate issued by another authority."
            )
        case .tlsCriticalExtension:
            (
                "A certificate has a critical extension that is not understood.",
                "Reissue it without, or without marking it critical."
            )
        case .tlsWeakSignature:
            (
                "A certificate is signed with an algorithm that can be forged.",
                "Reissue it with SHA-256 or better."
            )
        case .tlsWeakKey:
            (
                "A certificate's key is too small or of a weak kind.",
                "Reissue it with RSA of 2048 bits or more, or with a P-256, P-384, P-521 or Ed25519 key."
            )
        case .tlsUnsupportedAlgorithm:
            (
                "A certificate uses an algorithm that this build cannot verify.",
                "Reissue it with RSA, P-256, P-384, P-521 or Ed25519; of RSA-PSS only the usual parameters are known."
            )
        case .tlsMalformedCertificate:
            (
                "A certificate cannot be decoded.",
                "Look at it with `openssl x509 -text`; reissue it."
            )
        case .tlsCertificateProfile:
            (
                "A certificate breaks a rule of RFC 5280 or of the CA/Browser Forum's requirements.",
                "The evidence names the rule; have it reissued."
            )
        case .tlsSignatureInvalid:
            (
                "A certificate's signature does not verify.",
                "The certificate was changed or comes from another authority of the same name."
            )
        case .tlsPathBudget:
            (
                "The evaluation of the certificates was given up: it takes more work or time than it may.",
                "The server sends a hostile or broken set of certificates; what was found so far decides nothing."
            )
        case .tlsPinMismatch:
            (
                "No certificate of the validated chain matches a pin.",
                "If the server's key was changed on purpose, pin the new one; the evidence shows the pins that the server offers."
            )
        case .tlsNoPins:
            (
                "The pinning mode asks for pins, and there are none.",
                "Give --pin-certificate or --pin-spki."
            )
        case .tlsNameNeedsPins:
            (
                "The name cannot be validated while invalid certificates are allowed, unless there are pins.",
                "Use a pinning mode with pins, or say that the name is not to be validated."
            )
        case .tlsRevoked:
            (
                "A certificate was revoked by its issuer.",
                "Replace the certificate at once."
            )
        case .tlsRevocationUnknown:
            (
                "No revocation list states the certificate's status.",
                "Give the issuer's current list: the evidence says what is missing or wrong."
            )
        case .tlsNotEvaluated:
            (
                "Nothing was checked, because the policy allows invalid certificates without pins or revocation lists.",
                "Use a pinning mode or --ca-file to check who answers."
            )
        case .tlsRootsUnavailable:
            (
                "This machine cannot read its bundle of trusted roots, or the bundle has no certificate.",
                "Install ca-certificates, or make the file readable that the evidence names; or give the roots with --ca-file."
            )
        case .httpStatus:
            (
                "The status code is not one of the accepted ones.",
                "Look at the server, follow its redirect (3xx) with --max-redirects, or change --expect-status."
            )
        case .httpContentType:
            (
                "The media type is not one of the accepted ones.",
                "HTML where something else was due is often a login page."
            )
        case .httpBody:
            (
                "The body is not what is expected.",
                "The evidence shows what was compared."
            )
        case .httpUndecodable:
            (
                "The body cannot be decoded as what it claims to be.",
                "The evidence says where decoding stopped."
            )
        case .httpTooLarge:
            (
                "The body is larger than allowed.",
                "Raise --max-body-bytes, or ask for something smaller."
            )
        case .httpHeaderTooLarge:
            (
                "The response's header is larger than allowed.",
                "A server this talkative is broken or hostile."
            )
        case .byteLimit:
            (
                "The server sent more bytes than a check accepts.",
                "A server that sends this much around its answer is broken or hostile."
            )
        case .evaluationLimit:
            (
                "Judging the response took more work than a check may.",
                "Ask for a smaller body, or simplify the expectations; otherwise the server is hostile."
            )
        case .httpMalformed:
            (
                "The response is not HTTP, or breaks its rules.",
                "The evidence says where parsing stopped."
            )
        case .httpTruncated:
            (
                "The connection ended before the body was complete.",
                "Look at the server and at proxies in between."
            )
        case .httpContentEncoding:
            (
                "The body's compression is broken or not supported.",
                "Look at the server's content encoding."
            )
        case .httpProtocol:
            (
                "The peer broke the HTTP/2 protocol, or refused the stream.",
                "The evidence names the error; --http1 does without HTTP/2."
            )
        case .connectionReset:
            (
                "The peer reset the connection.",
                "Look at the server's log."
            )
        case .connectionClosed:
            (
                "The peer closed the connection without an answer.",
                "Look at the server's log."
            )
        case .redirectRefused:
            (
                "The redirect leads from https to http, or to a scheme that a check does not follow.",
                "Fix the server's redirect."
            )
        case .redirectLoop:
            (
                "The redirects come back to a place that was seen before.",
                "Fix the server's redirects."
            )
        case .redirectLimit:
            (
                "There are more redirects than allowed.",
                "Raise --max-redirects or give the final URL."
            )
        case .redirectInvalid:
            (
                "The redirect has no target that could be followed.",
                "Fix the server's Location header."
            )
        case .icmpNotPermitted:
            (
                "The system does not let this process send ICMP echo requests.",
                "Set the sysctl net.ipv4.ping_group_range to include a group of this user."
            )
        case .icmpUnreachable:
            (
                "The target or a router answered that the target cannot be reached.",
                "The evidence names the sender and its reason."
            )
        case .dnsRcode:
            (
                "The name server answered with an error code.",
                "The evidence holds the code's name."
            )
        case .dnsMalformed:
            (
                "The name server's answer cannot be decoded.",
                "Something between this machine and the name server changes answers."
            )
        case .dnsNoAnswer:
            (
                "The name server knows the name and has no record of the wanted type.",
                "Ask for another type, or add the record."
            )
        case .timeout:
            (
                "The check timed out.",
                "The phase shows what it was waiting for."
            )
        case .cancelled:
            (
                "The check was cancelled before it was done.",
                "Run it again."
            )
        case .requestInvalid:
            (
                "The request cannot be built, or its body cannot be read.",
                "The evidence names what is wrong; nothing was sent, or not all of it."
            )
        case .resourcesExhausted:
            (
                "The system had no file descriptor, thread, memory or port left.",
                "Raise the limit that the evidence names."
            )
        case .latencyHigh:
            (
                "The answer took longer than the probe allows.",
                "Compare the phases of `reachagent probe`: a slow resolver, path or server each show in their own."
            )
        case .lossHigh:
            (
                "Too many of the last checks failed.",
                "A lossy link or an overloaded server: compare interfaces with `reachagent status`."
            )
        case .budgetExhausted:
            (
                "The link's budget of bytes for this day is used up, or has no room for all bytes of a transfer.",
                "Raise bytes_per_day in [metered], or make the probe rarer on such links."
            )
        case .throughputLow:
            (
                "The transfer was slower than the probe allows.",
                "Compare the uplinks with `reachagent measure`; where nothing else loads the link, ask the provider."
            )
        case .addedLatencyHigh:
            (
                "Packets waited too long in a queue while the link was loaded.",
                "Shape the link a little below its rate with fq_codel or cake, on the router that holds the queue."
            )
        case .transferStalled:
            (
                "The connection is open, but no byte of the transfer came or went within stall_timeout.",
                "Repeat it with `reachagent measure` over each uplink: one that stalls alone loses packets."
            )
        case .rangeInvalid:
            (
                "The server answered a request for the rest of the object with another part of it.",
                "Repair the server's answers to Range, or set resume = false."
            )
        case .pathChanged:
            (
                "The path changed during the transfer, which therefore measured no uplink.",
                "Nothing: the transfer is made again. With resume = true it continues, if a path is found in time."
            )
        case .transferYielded:
            (
                "The transfer yielded to this machine's own traffic.",
                "Nothing: it is made again later. yield_share says how much other traffic it tolerates."
            )
        case .transferMetered:
            (
                "The uplink is metered, and a transfer costs money there.",
                "Set metered = true in the probe's transfer to measure such uplinks within bytes_per_day."
            )
        case .transferBusy:
            (
                "Another transfer of this machine was under way, and two of them would measure each other.",
                "Nothing: it is retried when the other one has finished."
            )
        case .portalRedirect:
            (
                "A request was redirected that the open Internet would have answered.",
                "Log in at the address that the state names as the portal's."
            )
        case .portalLoginPage:
            (
                "A page was returned where the open Internet answers nothing.",
                "Open any page without TLS in a browser and log in."
            )
        case .portalContent:
            (
                "The answer is neither the expected one nor a page.",
                "A proxy or a portal answers in the target's place; or the target is not a portal check."
            )
        case .portalAuthentication:
            (
                "The network asks for authentication (status 511).",
                "Log in to the network; RFC 6585 describes the status."
            )
        case .portalAPI:
            (
                "The network's own interface says that it is captive (RFC 8908).",
                "Log in at the address that the network names."
            )
        case .behindPortal:
            (
                "A captive portal answers at the vantage, so checks say nothing about the target.",
                "Log in at the portal; the probe is checked at once when the portal is gone."
            )
        case .tlsBackupPinOnly:
            (
                "Only a backup pin matches.",
                "The server's key was changed: make the backup pin the first one, and add a new backup."
            )
        case .questionInvalid:
            (
                "A line of a batch is not a valid question.",
                "The evidence names the member that is missing or of the wrong kind."
            )
        }
    }
}
