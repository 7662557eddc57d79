/// The module of prometheus-blackbox-exporter for a probe: a GET over TLS with verification of the certificate.
package enum BlackboxModule {
    package static let name = "https"

    /// Returns the contents of the exporter's configuration file.
    package static func configuration(caFile: String) -> String {
        """
        modules:
          \(name):
            prober: http
            timeout: 10s
            http:
              method: GET
              valid_status_codes: [200]
              valid_http_versions: ["HTTP/1.1"]
              fail_if_not_ssl: true
              preferred_ip_protocol: ip4
              tls_config:
                ca_file: "\(caFile)"

        """
    }
}
