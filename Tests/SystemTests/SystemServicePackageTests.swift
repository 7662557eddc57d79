import Foundation
import Testing

/// The package's life: `service-package.sh` installs, upgrades, removes and purges it.
@Suite(.serialized, .enabled(if: SystemService.obstacle == nil, "\(SystemService.obstacle ?? "")"))
struct SystemServicePackageTests {
    private func evidence() async throws -> SystemService.Evidence {
        try await SystemService.evidence(of: "service-package")
    }

    @Test
    func `an upgrade replaces an unedited conffile, and restarts the service`() async throws {
        let evidence = try await evidence()
        #expect(evidence["install"].status == 0, "\(evidence["install"].err)")
        #expect(evidence["verify"].out == "")
        #expect(evidence["upgrade"].status == 0, "\(evidence["upgrade"].out) \(evidence["upgrade"].err)")
        let (before, after) = (evidence["installed"], evidence["upgraded"])
        #expect(after["version"] == before["version"] + "+lab1")
        #expect(after["last"] == "# what the second version says")
        #expect(after["beside"] == "*.dpkg-*", "nothing is left beside the conffile")
        #expect(after["pid"] != before["pid"])
        #expect(after["enabled"] == "enabled")
    }

    @Test
    func `an upgrade keeps an edited conffile, with the new one beside it`() async throws {
        let evidence = try await evidence()
        #expect(evidence["upgrade_kept"].status == 0, "\(evidence["upgrade_kept"].out)")
        let kept = evidence["kept"]
        #expect(kept["version"].hasSuffix("+lab2"))
        #expect(kept["conffile"] == evidence["edited"]["conffile"])
        #expect(kept["beside"].contains("reachagent.toml.dpkg-dist"))
        #expect(kept["pid"] != evidence["upgraded"]["pid"])
    }

    @Test
    func `the numbering continues over upgrades, a removal and a new installation`() async throws {
        let evidence = try await evidence()
        for file in ["journal-installed.jsonl", "journal-again.jsonl"] {
            let numbers = try evidence.numbers(file)
            #expect(numbers == Array(1...numbers.count), "\(file)")
        }
        let newest = ["installed", "upgraded", "kept", "again"].compactMap {
            evidence[$0].number("newest")
        }
        #expect(newest.count == 4)
        #expect(newest == newest.sorted())
        #expect(Set(newest).count == 4)
    }

    @Test
    func `a removal ends the service, and leaves the configuration and the journal`() async throws {
        let evidence = try await evidence()
        #expect(evidence["remove"].status == 0, "\(evidence["remove"].out) \(evidence["remove"].err)")
        #expect(evidence["removed"]["ActiveState"] == "inactive")
        #expect(evidence["removed_status"].out == "config-files")
        let modes = evidence["removed_modes"]
        #expect(modes["/usr/bin/reachagent"] == "absent")
        #expect(modes["/etc/reachagent/reachagent.toml"] == "root:root 644")
        #expect(modes["/etc/reachagent/reachagent.toml.d/extra.toml"] == "root:root 644")
        #expect(modes["/var/lib/reachagent/journal"] == "reachagent:reachagent 750")
        #expect(evidence["install_again"].status == 0)
        #expect(evidence["again"]["conffile"] == evidence["edited"]["conffile"])
        #expect(evidence["again"]["enabled"] == "enabled")
    }

    @Test
    func `a purge leaves only the account and the administrator's files`() async throws {
        let evidence = try await evidence()
        #expect(evidence["purge"].status == 0, "\(evidence["purge"].out) \(evidence["purge"].err)")
        #expect(evidence["purged"]["LoadState"] == "not-found")
        let left = try evidence.lines("left-behind.txt").filter { !Self.isAccounts($0) }
        #expect(
            left == [
                "/etc/reachagent", "/etc/reachagent/reachagent.toml.d", "/etc/reachagent/reachagent.toml.d/extra.toml",
            ]
        )
        #expect(try evidence.lines("taken-away.txt") == [])
        #expect(evidence["failed_units"].out == "")
    }

    @Test
    func `a purge empties a file system on which the journal is, and leaves it mounted`() async throws {
        let disk = try await evidence()["purged_disk"]
        #expect(disk["/var/lib/reachagent"] == "reachagent:reachagent 750")
        #expect(disk["/var/lib/reachagent/journal"] == "absent")
    }

    /// Debian keeps accounts, so that no other one is given the number of files that are left somewhere.
    private static func isAccounts(_ path: String) -> Bool {
        ["passwd", "group", "shadow", "gshadow"].contains { path == "/etc/\($0)" || path == "/etc/\($0)-" }
    }
}
