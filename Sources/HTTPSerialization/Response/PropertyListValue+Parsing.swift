package import ForeignText

extension PropertyListValue {
    /// Parses a property list in XML or binary format; the old text format is rejected, because any word would be
    /// valid.
    ///
    /// - Parameter budget: Charged for bytes and values; nil for a list from the operator.
    /// - Throws: ``PropertyListError``.
    package init(parsing bytes: [UInt8], budget: WorkBudget? = nil) throws(PropertyListError) {
        if bytes.starts(with: BinaryPropertyList.signature) {
            self = try BinaryPropertyList.parse(bytes, budget: budget)
            return
        }
        do throws(XMLError) {
            self = try XMLPropertyList.parse(bytes, budget: budget)
        } catch {
            throw PropertyListError(error.description)
        }
    }
}
