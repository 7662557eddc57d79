internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// Policy rules: what a rule selects, as far as its attributes show.
struct RuleMessageTests {
    @Test(
        "a rule matches the machine's own unmarked packets as far as its selectors show",
        arguments: [
            ("all", nil, nil, nil, false, true), ("another source", "192.0.2.0/24", nil, nil, false, false),
            ("the source", "10.1.0.0/16", nil, nil, false, true),
            ("the destination", nil, "198.0.0.0/8", nil, false, true),
            ("another destination", nil, "203.0.113.0/24", nil, false, false), ("a mark", nil, nil, 7, false, false),
            ("no mark", nil, nil, 7, true, true), ("no such source", "10.1.0.0/16", nil, nil, true, false),
        ] as [(String, String?, String?, UInt32?, Bool, Bool)]
    )
    func fits(_: String, _ from: String?, _ to: String?, _ mark: UInt32?, _ isInverted: Bool, _ expected: Bool) throws {
        let rule = RoutingRule(
            family: .ipv4,
            priority: 1,
            table: 0,
            action: 7,
            mark: mark,
            source: try from.map(prefix),
            destination: try to.map(prefix),
            isInverted: isInverted
        )
        #expect(try rule.fits(from: ip("10.1.0.2"), to: ip("198.41.0.4")) == expected)
        #expect(try !rule.fits(from: ip("10.1.0.2"), to: ip("2001:db8::1")))
    }

    @Test("an encoded rule is parsed back unchanged, including inverted rules and large table numbers")
    func rules() throws {
        let rules = [
            RoutingRule(family: .ipv4, priority: 32766, table: 254),
            RoutingRule(family: .ipv6, priority: 5, table: 51820, mark: 0xCA6C, markMask: .max, isInverted: true),
            RoutingRule(family: .ipv4, priority: 9, table: 0, action: 7),
            RoutingRule(
                family: .ipv6,
                priority: 10,
                table: 77,
                source: try prefix("2001:db8:1::/48"),
                destination: try prefix("2001:db8:2::/64")
            ),
            RoutingRule(family: .ipv4, priority: 11, table: 77, hasOtherSelectors: true),
            RoutingRule(family: .ipv4, priority: 32764, table: 254, suppressedPrefixLength: 0),
            RoutingRule(family: .ipv6, priority: 42, table: 254, suppressedGroup: 7),
            RoutingRule(family: .ipv4, priority: 10, table: 0, action: 2, gotoPriority: 100),
        ]
        for rule in rules {
            #expect(try parse(.rule(rule)) == .rule(rule))
            #expect(try parse(.ruleRemoved(rule)) == .ruleRemoved(rule))
        }
    }

    @Test(
        arguments: [
            ("from all goto 100", 100, nil, true, false), ("a goto that stops before it", 30, nil, true, true),
            ("a goto without its rule", 100, nil, false, true),
            ("a goto for another source", 100, "192.0.2.0/24", true, true),
        ] as [(String, UInt32, String?, Bool, Bool)]
    )
    func `a goto skips an unreachable rule`(
        _: String,
        priority: UInt32,
        source: String?,
        isThere: Bool,
        isUnreachable: Bool
    ) throws {
        let skipping = RoutingRule(
            family: .ipv4,
            priority: 10,
            table: 0,
            action: 2,
            source: try source.map(prefix),
            gotoPriority: priority
        )
        let rules = [
            skipping, RoutingRule(family: .ipv4, priority: 50, table: 0, action: 7),
            RoutingRule(family: .ipv6, priority: 100, table: 0, action: 7),
        ]
        let goal = isThere ? [RoutingRule(family: .ipv4, priority: priority, table: 0, action: 3)] : []
        let ordered = (rules + goal).sorted { $0.priority < $1.priority }
        #expect(try ordered.rejectAsUnreachable(from: ip("10.1.0.2"), to: ip("198.41.0.4")) == isUnreachable)
    }

    @Test(arguments: [
        (RoutingRule(family: .ipv4, priority: 32766, table: 254), "32766: from all lookup 254"),
        (
            RoutingRule(family: .ipv4, priority: 32764, table: 254, suppressedPrefixLength: 0),
            "32764: from all lookup 254 suppress_prefixlength 0"
        ),
        (
            RoutingRule(family: .ipv6, priority: 42, table: 254, suppressedGroup: 7),
            "42: from all lookup 254 suppress_ifgroup 7"
        ),
        (
            RoutingRule(family: .ipv6, priority: 5, table: 51820, mark: 0xCA6C, markMask: .max, isInverted: true),
            "5: not from all fwmark 0xca6c lookup 51820"
        ),
        (
            RoutingRule(family: .ipv4, priority: 9, table: 0, action: 7, hasOtherSelectors: true),
            "9: from all (and other conditions) unreachable"
        ),
        (RoutingRule(family: .ipv4, priority: 10, table: 0, action: 2, gotoPriority: 100), "10: from all goto 100"),
    ])
    func `a rule's description has the words of ip-rule`(rule: RoutingRule, text: String) {
        #expect(rule.description == text)
    }

    /// An attribute of a rule, as in `linux/fib_rules.h`.
    struct RuleAttribute: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: UInt16
        let bytes: [UInt8]
        let isSelector: Bool

        init(_ name: String, _ type: UInt16, _ bytes: [UInt8], isSelector: Bool) {
            testDescription = name
            self.type = type
            self.bytes = bytes
            self.isSelector = isSelector
        }

        static let all = [
            RuleAttribute("FRA_IIFNAME lo", 3, Array("lo\0".utf8), isSelector: false),
            RuleAttribute("FRA_IIFNAME", 3, Array("eth0\0".utf8), isSelector: true),
            RuleAttribute("FRA_GOTO", 4, [9, 0, 0, 0], isSelector: false),
            RuleAttribute("FRA_FLOW", 11, [7, 0, 0, 0], isSelector: false),
            RuleAttribute("FRA_TUN_ID", 12, [0, 0, 0, 0, 0, 0, 0, 5], isSelector: true),
            RuleAttribute("FRA_SUPPRESS_IFGROUP", 13, [255, 255, 255, 255], isSelector: false),
            RuleAttribute("FRA_SUPPRESS_PREFIXLEN", 14, [255, 255, 255, 255], isSelector: false),
            RuleAttribute("FRA_OIFNAME", 17, Array("eth0\0".utf8), isSelector: true),
            RuleAttribute("FRA_PAD", 18, [], isSelector: false),
            RuleAttribute("FRA_L3MDEV", 19, [1], isSelector: true),
            RuleAttribute("FRA_UID_RANGE", 20, [0, 0, 0, 0, 9, 0, 0, 0], isSelector: true),
            RuleAttribute("FRA_PROTOCOL", 21, [2], isSelector: false),
            RuleAttribute("FRA_IP_PROTO", 22, [6], isSelector: true),
            RuleAttribute("FRA_SPORT_RANGE", 23, [80, 0, 80, 0], isSelector: true),
            RuleAttribute("FRA_DPORT_RANGE", 24, [80, 0, 80, 0], isSelector: true),
            RuleAttribute("FRA_DSCP", 25, [8], isSelector: true),
            RuleAttribute("FRA_FLOWLABEL", 26, [0, 0, 0, 5], isSelector: true),
            RuleAttribute("FRA_FLOWLABEL_MASK", 27, [0, 15, 255, 255], isSelector: true),
            RuleAttribute("FRA_SPORT_MASK", 28, [255, 0], isSelector: true),
            RuleAttribute("FRA_DPORT_MASK", 29, [255, 0], isSelector: true),
            RuleAttribute("FRA_DSCP_MASK", 30, [63], isSelector: true),
            RuleAttribute("one of a newer kernel", 31, [1], isSelector: true),
            RuleAttribute("the highest type", 0x3FFF, [], isSelector: true),
        ]
    }

    @Test(
        "a rule with a selector that is not evaluated, even an unknown one, matches no packet for certain",
        arguments: RuleAttribute.all
    )
    func selectors(_ attribute: RuleAttribute) throws {
        let plain = RoutingRule(family: .ipv4, priority: 100, table: 0, action: 7)
        var message = MessageBuilder.rule(plain)
        message.attributes.append(NetlinkAttribute(attribute.type, attribute.bytes))
        let expected = RoutingRule(
            family: .ipv4,
            priority: 100,
            table: 0,
            action: 7,
            hasOtherSelectors: attribute.isSelector
        )
        #expect(try parse(message) == .rule(expected))
        #expect(try expected.fits(from: nil, to: ip("198.41.0.4")) == !attribute.isSelector)
    }
}
