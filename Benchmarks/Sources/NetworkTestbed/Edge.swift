/// What is switched to and fro, so that the path changes each time.
package enum Edge: String, Sendable, CaseIterable, Codable {
    /// The far end of the cable goes down and up; the kernel tells of it from a work queue.
    case carrier
    /// The default route goes and comes; the kernel tells of it within the request.
    case defaultRoute = "default-route"
}
