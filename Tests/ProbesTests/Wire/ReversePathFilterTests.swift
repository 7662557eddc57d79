import AgentTestKit
import Foundation
import Testing

@testable import Probes

@Suite
struct ReversePathFilterTests {
    /// The content of `rp_filter` and `src_valid_mark`, for all interfaces and for eth0; nil for a missing file.
    @Test(
        arguments: [
            (["1\n", "0\n", "0\n", "0\n"], 1), (["0\n", "1\n", "0\n", "0\n"], 1), (["1\n", "2\n", "0\n", "0\n"], 2),
            (["0\n", "0\n", "0\n", "0\n"], nil), (["1\n", "1\n", "1\n", "0\n"], nil),
            (["1\n", "1\n", "0\n", "1\n"], nil), ([nil, "1\n", "0\n", "0\n"], nil), (["1\n", nil, "0\n", "0\n"], nil),
            (["1\n", "1\n", nil, "0\n"], nil), (["1\n", "1\n", "0\n", nil], nil), (["", "1\n", "0\n", "0\n"], nil),
            (["1", "1\n", "0\n", "0\n"], nil), (["many\n", "1\n", "0\n", "0\n"], nil),
        ] as [([String?], Int?)]
    )
    func `the greater setting counts, unless marks of the firewall decide`(contents: [String?], expected: Int?) throws {
        let directory = try TemporaryDirectory()
        let files = ["all/rp_filter", "eth0/rp_filter", "all/src_valid_mark", "eth0/src_valid_mark"]
        for name in ["all", "eth0"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory.path)/\(name)",
                withIntermediateDirectories: true
            )
        }
        for (file, content) in zip(files, contents) {
            try content?.write(toFile: "\(directory.path)/\(file)", atomically: false, encoding: .utf8)
        }
        #expect(ReversePathFilter.mode(of: "eth0", in: directory.path) == expected)
    }
}
