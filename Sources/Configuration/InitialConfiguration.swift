/// The configuration that `config init` writes, and that the package's file contains as comments: two probes of general
/// use.
public enum InitialConfiguration {
    /// The name of the drop-in for this configuration if the file itself already exists.
    public static let dropInName = "10-probes.toml"

    /// The hosts to which its probes send requests.
    public static let hosts = ["www.example.org", "connectivitycheck.gstatic.com"]

    /// The text of the file, with a note on the data that leaves the machine.
    public static let text = """
        # What leaves this machine: once a minute the lookups of the two names below, and a request to each of their servers,
        # which see this machine's address and 'reachagent', its version, the kernel's version and the processor's type as
        # User-Agent. Without these tables nothing is sent. Over cellular links a probe is made a tenth as often.

        # Does the service that matters answer? Put its address here; the certificate is checked too.
        [probe.web]
        target = "https://www.example.org/"
        interval = "60s"

        # Does a captive portal, such as the login page of a hotel, answer in the place of the Internet?
        [probe.portal]
        target = "http://connectivitycheck.gstatic.com/generate_204"
        interval = "60s"
        portal = true

        # Is an uplink fast enough, and usable while it is busy? A transfer of some megabytes measures that, with a server
        # of your own: transfer.md of the documentation has its configuration.

        """

    /// The text with `#` before each line that is neither empty nor a comment.
    public static var commented: String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty || $0.hasPrefix("#") ? String($0) : "#\($0)" }
            .joined(separator: "\n")
    }
}
