/// What prometheus-blackbox-exporter is to do for a probe: a GET over TLS whose certificate is verified.
package enum BlackboxModule {
    package static let name = "https"

    /// Its configuration file.
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
