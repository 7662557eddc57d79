internal import CMosquitto
internal import Glibc

/// libmosquitto, prepared once.
enum MosquittoLibrary {
    /// True once the library is ready.
    static let isReady: Bool = {
        // It writes to sockets with write(2): a broker that has gone would end the program.
        signal(SIGPIPE, SIG_IGN)
        return mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue
    }()
}
