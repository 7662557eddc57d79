internal import BenchmarkKit
internal import Glibc
internal import WebTestbed

/// A local nginx with a large object, a sink for uploads, and a small answer; over TLS and without.
final class ObjectServer {
    let secure: String
    let plain: String
    private let child: ChildProcess

    init(_ path: String, certificates: ServerCertificates, in directory: TemporaryDirectory) throws(BenchmarkError) {
        let ports = try (secure: Loopback.freePort(), plain: Loopback.freePort())
        secure = "https://127.0.0.1:\(ports.secure)"
        plain = "http://127.0.0.1:\(ports.plain)"
        // Sparse: it takes no room, and nothing of it is read from a disk.
        let large = open(directory.path(of: "large"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard large >= 0, ftruncate(large, 16 << 30) == 0 else {
            throw BenchmarkError("make the large object", errno: errno)
        }
        close(large)
        let configuration = try directory.write(
            Self.configuration(ports.secure, ports.plain, certificates, directory.path),
            to: "objects.conf"
        )
        let log = directory.path(of: "objects.log")
        child = try ChildProcess(path, ["-c", configuration, "-p", directory.path, "-e", log])
        do {
            try Loopback.waitForListener(on: ports.secure, of: child, named: path)
        } catch {
            throw BenchmarkError(error.operation, cause: "\(error.cause); it says: \(ProcFile.read(log) ?? "nothing")")
        }
    }

    /// The sink answers when the whole body has come: nginx reads it before it passes the request on without it.
    private static func configuration(
        _ secure: UInt16,
        _ plain: UInt16,
        _ certificates: ServerCertificates,
        _ directory: String
    ) -> String {
        """
        daemon off;
        master_process off;
        pid \(directory)/objects.pid;
        error_log \(directory)/objects.log warn;
        events { worker_connections 1024; }
        http {
            access_log off;
            client_body_temp_path \(directory)/objects-body;
            proxy_temp_path \(directory)/objects-proxy;
            fastcgi_temp_path \(directory)/objects-fastcgi;
            uwsgi_temp_path \(directory)/objects-uwsgi;
            scgi_temp_path \(directory)/objects-scgi;
            ssl_certificate \(certificates.chainFile);
            ssl_certificate_key \(certificates.keyFile);
            ssl_protocols TLSv1.3;
            sendfile on;
            client_max_body_size 0;
            client_body_buffer_size 1m;
            keepalive_requests 1000000;
            server {
                listen 127.0.0.1:\(secure) ssl http2 backlog=1024;
                listen 127.0.0.1:\(plain) backlog=1024;
                location = /large { root \(directory); default_type application/octet-stream; }
                location = /small { return 200 "ok\\n"; }
                location = /upload {
                    proxy_pass http://unix:\(directory)/sink;
                    proxy_pass_request_body off;
                    proxy_set_header Content-Length "";
                }
            }
            server {
                listen unix:\(directory)/sink;
                location / { return 204; }
            }
        }
        """
    }
}
