package import BenchmarkKit

/// A local nginx that answers every request over TLS 1.3 with `ok`, and closes the connection.
///
/// One process, no session resumption; it runs as the present user, and ends with the value that stands for it.
package final class NginxServer {
    package let url: String
    private let child: ChildProcess

    package init(_ path: String, certificates: ServerCertificates, in directory: TemporaryDirectory)
        throws(BenchmarkError)
    {
        let port = try Loopback.freePort()
        let configuration = try directory.write(
            Self.configuration(port: port, certificates: certificates, directory: directory.path),
            to: "nginx.conf"
        )
        url = "https://127.0.0.1:\(port)/"
        let log = directory.path(of: "nginx.log")
        child = try ChildProcess(path, ["-c", configuration, "-p", directory.path, "-e", log])
        do {
            try Loopback.waitForListener(on: port, of: child, named: path)
        } catch {
            throw BenchmarkError(error.operation, cause: "\(error.cause); it says: \(ProcFile.read(log) ?? "nothing")")
        }
    }

    /// Time on a CPU that it has used.
    package var cpuNanoseconds: UInt64 { ProcessUsage.cpuNanoseconds(of: child.identifier) }

    private static func configuration(port: UInt16, certificates: ServerCertificates, directory: String) -> String {
        """
        daemon off;
        master_process off;
        pid \(directory)/nginx.pid;
        error_log \(directory)/nginx.log warn;
        events { worker_connections 1024; }
        http {
            access_log off;
            client_body_temp_path \(directory)/body;
            proxy_temp_path \(directory)/proxy;
            fastcgi_temp_path \(directory)/fastcgi;
            uwsgi_temp_path \(directory)/uwsgi;
            scgi_temp_path \(directory)/scgi;
            keepalive_timeout 0;
            ssl_certificate \(certificates.chainFile);
            ssl_certificate_key \(certificates.keyFile);
            ssl_protocols TLSv1.3;
            ssl_session_cache off;
            ssl_session_tickets off;
            server {
                listen 127.0.0.1:\(port) ssl backlog=1024;
                default_type text/plain;
                location / { return 200 "ok\\n"; }
            }
        }
        """
    }
}
