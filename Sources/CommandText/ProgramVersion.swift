/// The version of all programs of the project.
package enum ProgramVersion {
    /// The version (Semantic Versioning).
    package static let text = "0.1.0"
}
