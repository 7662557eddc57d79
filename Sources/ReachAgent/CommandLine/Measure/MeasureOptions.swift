internal import ArgumentParser
internal import Probes

/// The bytes of a transfer, and its request.
struct MeasureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The bytes to download, 0 for none (default: the probe's, else 20M).", valueName: "size"),
        transform: Arguments.byteCount
    )
    var download: Int?

    @Option(
        help: ArgumentHelp(
            "The bytes to upload, by POST (default: the probe's, else none; 5M with --upload-url).",
            valueName: "size"
        ),
        transform: Arguments.byteCount
    )
    var upload: Int?

    // Parsed here: a transform's error message would repeat the argument, which may contain a password.
    @Option(
        name: .customLong("upload-url"),
        help: ArgumentHelp("The URL that takes the upload (default: the probe's, else the target).", valueName: "url"),
        completion: .list(["https://", "http://"])
    )
    var uploadURL: String?

    // These are parsed here for the same reason.
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp("A header field of each request (repeatable).", valueName: "name: value")
    )
    var headerLines: [String] = []

    @Option(
        help: ArgumentHelp("A file with one line USER:PASSWORD for basic authorization.", valueName: "file"),
        completion: .file()
    )
    var basicAuthFile: String?

    /// The names of the options that a configured probe sets itself.
    var givenForRequest: [String] {
        [("--header", !headerLines.isEmpty), ("--basic-auth-file", basicAuthFile != nil)].filter(\.1).map(\.0)
    }

    func validate() throws {
        guard download != 0 || upload != 0 else {
            throw ValidationError("'--download 0' and '--upload 0' leave nothing to transfer")
        }
        if upload == 0, uploadURL != nil {
            throw ValidationError("'--upload-url' has no meaning with '--upload 0'")
        }
        _ = try parsedUploadURL()
        _ = try headers()
    }

    /// Returns the transfer of the probe, as changed by the options.
    ///
    /// - Throws: `ExitCode` when nothing would be transferred.
    func plan(_ configured: TransferPlan?) throws -> TransferPlan {
        var plan = configured ?? TransferPlan(downloadBytes: MeasureSubject.standardDownload)
        if let download { plan.downloadBytes = download }
        if let url = try parsedUploadURL() {
            plan.uploadURL = url
            if plan.uploadBytes == 0 { plan.uploadBytes = MeasureSubject.standardUpload }
        }
        if let upload { plan.uploadBytes = upload }
        guard plan.downloadBytes > 0 || plan.uploadBytes > 0 else {
            throw WrongUsage.exit("nothing is left to transfer; '--download' and '--upload' take sizes such as 20M")
        }
        return plan
    }

    /// The request of a URL.
    ///
    /// - Throws: `RequestError` when a file cannot be read or a value cannot be sent.
    func request(allowsCellularAccess: Bool) throws -> ProbeRequest {
        var request = ProbeRequest(headers: try headers())
        request.allowsCellularAccess = allowsCellularAccess
        if let basicAuthFile { request.credentials = try BasicCredentials(file: basicAuthFile) }
        return request
    }

    private func parsedUploadURL() throws -> HTTPURL? {
        guard let uploadURL else { return nil }
        guard case .http(let url) = try Arguments.probeTarget(uploadURL) else {
            throw ValidationError("'--upload-url' takes an https:// or http:// URL")
        }
        return url
    }

    private func headers() throws -> HeaderFields {
        do {
            return try HeaderFields(headerLines.map(Arguments.headerField))
        } catch let error as RequestError {
            throw ValidationError(error.description)
        }
    }
}
