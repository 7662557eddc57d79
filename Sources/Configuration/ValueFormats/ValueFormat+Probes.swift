internal import EventJournal
internal import NetlinkMonitor
internal import Probes
internal import Reachability

extension ValueFormat where Value == IPAddress {
    /// An IP address of either family; an IPv4-mapped one is the IPv4 address to which the system connects.
    ///
    /// For a link-local one of IPv6 the kernel would answer with the route of any link: connect(2) needs the interface.
    static var address: ValueFormat {
        .parsed("IP address", wanted: "an IP address in quotes", text: { TOMLText.quoted($0.description) }) { string in
            guard let address = IPAddress(string)?.unmapped else {
                throw ValueError(
                    message: "'\(string)' is not a valid IP address; accepted are forms like 192.0.2.7 and 2001:db8::7"
                )
            }
            guard address.family == .ipv4 || !address.isLinkLocal else {
                let reason = "is link-local, and has no path without an interface"
                throw ValueError(message: "'\(string)' \(reason); use a global or unique local address")
            }
            return address
        }
    }
}

extension ValueFormat where Value == SyncPolicy {
    /// `always`, `never`, or a duration.
    static var sync: ValueFormat {
        .parsed(
            wanted: "\"always\", \"never\" or a duration in quotes such as \"1s\"",
            maxBytes: maxWordBytes,
            text: { policy in
                switch policy {
                case .always: TOMLText.quoted("always")
                case .never: TOMLText.quoted("never")
                case .interval(let duration): TOMLText.quoted(TOMLText.duration(duration))
                }
            },
            { string in
                switch string {
                case "always": return .always
                case "never": return .never
                default:
                    if let duration = Quantity.duration(string), duration <= .seconds(3600) {
                        return .interval(duration)
                    }
                    throw ValueError(message: "'\(string)' is not accepted; accepted are always, never and 0 to 60m")
                }
            }
        )
    }
}

extension ValueFormat where Value == UInt32 {
    /// Permission bits in octal digits.
    static var mode: ValueFormat {
        .parsed(
            wanted: "octal permission bits in quotes such as \"0660\"",
            text: { TOMLText.quoted("0" + String($0, radix: 8)) },
            { string in
                guard (1...4).contains(string.utf8.count), let mode = UInt32(string, radix: 8), mode <= 0o777 else {
                    throw ValueError(
                        message: "'\(string)' is not a valid mode; accepted are octal permission bits such as 0660"
                    )
                }
                return mode
            }
        )
    }
}

extension ValueFormat where Value == Quorum {
    /// `all`, or a number of probes.
    static var quorum: ValueFormat {
        let words = ValueFormat.parsed(
            wanted: "\"all\" or an integer",
            maxBytes: maxWordBytes,
            text: { quorum in
                switch quorum {
                case .all: TOMLText.quoted("all")
                case .atLeast(let count): "\(count)"
                }
            },
            { string in
                if string == "all" { return .all }
                throw ValueError(message: "'\(string)' is not accepted; accepted are all and integers from 1")
            }
        )
        return ValueFormat(
            kind: "string or integer",
            read: { node, errors in
                guard case .integer(let count) = node.value else { return words.read(node, &errors) }
                guard (1...10_000).contains(count) else {
                    errors.append(ValueError(message: "\(count) is not from 1 to 10000"))
                    return nil
                }
                return .atLeast(count)
            },
            text: words.text
        )
    }
}

extension ValueFormat where Value == ProbeRule.Interfaces {
    /// `default`, `each`, or an array of names and kinds.
    static var vantages: ValueFormat {
        let names = ValueFormat<String>.interfaceName(longest: 127).list(1...16)
        let words = ValueFormat.parsed(
            wanted: "\"default\", \"each\" or an array of names or kinds",
            maxBytes: maxWordBytes,
            text: { interfaces in
                switch interfaces {
                case .default: TOMLText.quoted("default")
                case .each: TOMLText.quoted("each")
                case .matching(let list): names.text(list)
                }
            },
            { string in
                switch string {
                case "default": return .default
                case "each": return .each
                default:
                    throw ValueError(
                        message: "'\(string)' is not accepted; accepted are default, each and an array of names or "
                            + "kinds such as [\"wlan0\", \"wwan\"]"
                    )
                }
            }
        )
        return ValueFormat(
            kind: "string or array of strings",
            read: { node, errors in
                guard case .array = node.value else { return words.read(node, &errors) }
                return names.read(node, &errors).map { .matching($0) }
            },
            text: words.text
        )
    }
}

extension ValueFormat where Value == String {
    /// An interface name that the kernel accepts (dev_valid_name), own or alternative, or a kind.
    ///
    /// - Parameter longest: The maximum length in bytes: 127 of an alternative name, 15 of one that a socket is bound to.
    static func interfaceName(longest: Int) -> ValueFormat {
        .parsed(wanted: "a string", text: TOMLText.quoted) { string in
            let isName =
                (1...longest).contains(string.utf8.count) && string != "." && string != ".."
                && string.utf8.allSatisfy {
                    $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
                }
            guard isName else {
                throw ValueError(
                    message: "'\(string)' is not a valid interface name: "
                        + "1 to \(longest) characters without '/' are needed"
                )
            }
            return string
        }
    }
}

extension ValueFormat where Value == ProbeTarget {
    /// The target of a check.
    static var target: ValueFormat {
        .parsed(wanted: "a string such as \"https://example.org/\"", text: { TOMLText.quoted($0.description) }) {
            string in
            do throws(ProbeTargetError) {
                return try ProbeTarget(parsing: string)
            } catch {
                // The library's message names an option of the command line.
                if case .invalidURL(let shown, HTTPURLError.userInformation.description) = error {
                    throw ValueError(
                        message:
                            "'\(shown)' holds a user name or a password: write 'user:password' to a file, and name "
                            + "that in 'basic_auth_file'"
                    )
                }
                throw ValueError(message: error.description)
            }
        }
    }
}

extension ValueFormat where Value == Probe.Endpoint {
    /// `HOST:PORT`, with an IPv6 address in brackets.
    static var endpoint: ValueFormat {
        .parsed(
            wanted: "a string such as \"host.example:443\"",
            text: { endpoint in
                let host = endpoint.host.description
                return TOMLText.quoted("\(host.contains(":") ? "[\(host)]" : host):\(endpoint.port)")
            },
            { string in
                guard case .tcp(let host, let port)? = try? ProbeTarget(parsing: "tcp://\(string)") else {
                    throw ValueError(
                        message: "'\(string)' is not of the form HOST:PORT, such as host.example:443 or [::1]:443"
                    )
                }
                return Probe.Endpoint(host: host, port: port)
            }
        )
    }
}

extension ValueFormat where Value == StatusCodes {
    /// `200-299,304`, or one integer.
    static var statusCodes: ValueFormat {
        let strings = ValueFormat.parsed(
            wanted: "a string such as \"200-299,304\"",
            text: { TOMLText.quoted($0.description) },
            { try StatusCodes(parsing: $0) }
        )
        return ValueFormat(
            kind: "string or integer",
            read: { node, errors in
                guard case .integer(let code) = node.value else { return strings.read(node, &errors) }
                return strings.read(Node(value: .string("\(code)"), origin: node.origin), &errors)
            },
            text: strings.text
        )
    }
}

extension ValueFormat where Value == String {
    /// A media type without parameters: `application/json`.
    static var mediaType: ValueFormat {
        .parsed(wanted: "a string", maxBytes: 255, text: TOMLText.quoted) { try MediaType.accepted(parsing: $0) }
    }
}

extension ValueFormat where Value == BodyPattern {
    /// A regular expression (PCRE2).
    static var pattern: ValueFormat {
        .parsed(wanted: "a string", text: { TOMLText.quoted($0.text) }) { try BodyPattern(parsing: $0) }
    }
}

extension ValueFormat where Value == JSONExpectation {
    /// A comparison with a member of the JSON body: `status.code=0`.
    static var member: ValueFormat {
        .parsed(wanted: "a string", text: { TOMLText.quoted($0.text) }) { try JSONExpectation(parsing: $0) }
    }
}

extension ValueFormat where Value == PublicKeyPin {
    /// A public key pin: `sha256//` and Base64.
    static var pin: ValueFormat {
        .parsed(wanted: "a string", text: { TOMLText.quoted($0.description) }) { try PublicKeyPin(parsing: $0) }
    }
}

extension ValueFormat where Value == [String: String] {
    /// Header fields; secret values come from separate files.
    static var headerFields: ValueFormat {
        ValueFormat<String>.string(0...8192).table(max: HeaderFields.maximumCount) { name in
            ["authorization", "proxy-authorization", "cookie", "set-cookie"].contains(name.lowercased())
                ? "is a secret: write it to a file, and name that in 'header_files'" : flaw(ofField: name)
        }
    }

    /// The paths of files that contain values of header fields.
    static var headerFiles: ValueFormat {
        ValueFormat<String>.path.table(max: HeaderFields.maximumCount, flaw: flaw(ofField:))
    }

    @Sendable private static func flaw(ofField name: String) -> String? {
        var fields = HeaderFields()
        do throws(RequestError) {
            try fields.set(name, "")
            return nil
        } catch {
            return error.description
        }
    }
}
