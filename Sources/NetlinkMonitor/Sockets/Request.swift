internal import CLibNL
internal import Glibc

/// One request, built by libnl.
struct Request {
    let operation: String
    /// The message, padded to four bytes, so that several can be concatenated.
    let bytes: [UInt8]

    init<Header: BitwiseCopyable>(
        _ operation: String,
        _ type: Int,
        _ flags: Int32,
        _ sequence: UInt32,
        _ header: Header,
        _ attributes: [(Int, [UInt8])] = []
    ) throws(NetlinkError) {
        self.operation = operation
        let outOfMemory = NetlinkError(operation: operation, cause: .library("libnl is out of memory"))
        guard let message = nlmsg_alloc_simple(Int32(type), flags) else { throw outOfMemory }
        defer { nlmsg_free(message) }
        var header = header
        var result = withUnsafeMutableBytes(of: &header) {
            nlmsg_append(message, $0.baseAddress, $0.count, Int32(NLMSG_ALIGNTO))
        }
        for (type, value) in attributes where result >= 0 {
            result = nla_put(message, Int32(type), Int32(value.count), value)
        }
        guard result >= 0, let head = nlmsg_hdr(message) else { throw outOfMemory }
        head.pointee.nlmsg_seq = sequence
        let bytes = Array(UnsafeRawBufferPointer(start: head, count: Int(head.pointee.nlmsg_len)))
        self.bytes = bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    /// Returns a route lookup (`RTM_GETROUTE` without a dump), for the outcome or for the table entry.
    static func lookup(
        _ question: LookupQuestion,
        matchesTable: Bool,
        sequence: UInt32
    ) throws(NetlinkError) -> Request {
        var header = rtmsg()
        header.rtm_family = question.destination.family.kernelValue
        header.rtm_dst_len = UInt8(question.destination.family.bitWidth)
        // IPv6 always returns the table, and rejects the flag.
        if question.destination.family == .ipv4 { header.rtm_flags |= UInt32(RTM_F_LOOKUP_TABLE) }
        if matchesTable { header.rtm_flags |= UInt32(RTM_F_FIB_MATCH) }
        // connect(2) takes the unspecified address for the loopback's, and a lookup does not.
        let destination =
            question.destination.isUnspecified ? .loopback(question.destination.family) : question.destination
        var attributes = [(Int(RTA_DST.rawValue), destination.networkBytes)]
        if let source = question.source, source.family == question.destination.family {
            header.rtm_src_len = UInt8(source.family.bitWidth)
            attributes.append((Int(RTA_SRC.rawValue), source.networkBytes))
        }
        for (type, number) in [(RTA_MARK, question.mark), (RTA_OIF, question.interface)] where number != 0 {
            attributes.append((Int(type.rawValue), withUnsafeBytes(of: number) { Array($0) }))
        }
        // Without a protocol an IPv4 lookup is that of a UDP packet, and an IPv6 one of none (net/ipv4/route.c).
        if let transport = question.transport ?? (question.destination.family == .ipv4 ? .tcp : nil) {
            attributes.append((Int(RTA_IP_PROTO.rawValue), [transport.rawValue]))
        }
        // Linux 4.18 has introduced the port together with the protocol; older kernels ignore both.
        if let port = question.port {
            attributes.append((Int(RTA_DPORT.rawValue), withUnsafeBytes(of: port.bigEndian) { Array($0) }))
        }
        return try Request("look up a route", RTM_GETROUTE, NLM_F_REQUEST, sequence, header, attributes)
    }

    func send(on socket: NetlinkSocket) throws(NetlinkError) {
        let result = bytes.withUnsafeBytes { buffer in
            nl_sendto(socket.handle, UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count)
        }
        guard result >= 0 else { throw NetlinkError.library(operation, result) }
    }
}
