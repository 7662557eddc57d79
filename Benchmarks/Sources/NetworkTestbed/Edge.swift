/// The kind of an edge: the state that is switched off and on, so that the path changes each time.
package enum Edge: String, Sendable, CaseIterable, Codable {
    /// The far end of the cable goes down and up; the kernel reports it from a work queue.
    case carrier
    /// The default route is deleted and added; the kernel reports it within the request.
    case defaultRoute = "default-route"
}
