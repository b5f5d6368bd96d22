import Blocking
import CaptureProtocol
import Foundation
import Hummingbird
import Inspection
import Logging
import Metrics
import Models
import Multipart

/// `POST /api/v1/verify-file` and `GET /api/v1/verify-hash/{sha256}` (SPEC §7): what is known of a file. Nothing of it is kept.
struct VerificationController: Sendable {
    let repository: VerificationRepository
    let inspectors: InspectorPool
    /// Who may send a file at the moment.
    let intakes: Places
    /// How many files are looked at at once, once they are there; the others wait.
    let permits: VerificationPermits
    let scratch: ScratchSettings
    let buckets: TokenBuckets
    let limits: RateLimits
    let publicURL: String
    let trustedProxies: [AddressRange]
    let logger: Logger

    /// Where files lie while they are looked at.
    struct ScratchSettings: Sendable {
        let folder: String
        let room: ScratchRoom
        let executors: [BlockingExecutor]
    }

    func addRoutes(to router: Router<GatewayContext>, table: inout RouteTable) {
        router.post("/api/v1/verify-file") { request, context in try await self.verifyFile(request, context) }
        router.get("/api/v1/verify-hash/{sha256}") { request, context in try await self.verifyHash(request, context) }
        table.add("/api/v1/verify-file", ["POST"])
        table.add("/api/v1/verify-hash/{sha256}", ["GET", "HEAD"])
    }

    private func verifyHash(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let address = ClientAddress(request, context, trusting: trustedProxies)
        let text = try context.parameters.require("sha256")
        guard text.utf8.count == 64, let digest = Hex.decode(text.lowercased()).flatMap({ ContentDigest(bytes: $0) }) else {
            throw APIError.invalid("sha256", "is not a SHA-256 in hex")
        }
        var fields = try await buckets.debit(limits.hashVerifications, address.description)
        fields[.cacheControl] = "no-store"
        let answer = VerificationAnswer(try await repository.claims(of: digest), digest: digest, publicURL: publicURL)
        try await log(.hash, digest, address, answer?.status ?? "no_record", answer?.captureID)
        guard let answer else { throw APIError(.hashNotFound, "No record has a file with this SHA-256.", headers: fields) }
        return try Envelope.success(answer, headers: fields, context: context)
    }

    private func verifyFile(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let address = ClientAddress(request, context, trusting: trustedProxies)
        var (answer, fields) = try await answer(request, address)
        fields[.cacheControl] = "no-store"
        return try Envelope.success(answer, headers: fields, context: context)
    }

    /// Takes the file in, looks it up, reads what it carries. The site's form without JavaScript uses it too.
    func answer(_ request: Request, _ address: ClientAddress) async throws -> (VerificationAnswer, HTTPFields) {
        let boundary = try MultipartBoundary(of: request)
        if let length = request.headers[.contentLength].flatMap(Int.init),
            length > FileIntake.maximumVideoBytes + FileIntake.maximumOverhead
        {
            throw APIError(.payloadTooLarge, "A file is at most 20 MiB, a video 100 MiB.")
        }
        let fields = try await buckets.debit(limits.verifications, address.description)
        let place = try intakes.take(address: address.description)
        defer { place.give() }
        let executor = scratch.executors[Int.random(in: scratch.executors.indices)]
        let intake = FileIntake(boundary: boundary, folder: scratch.folder, room: scratch.room, executor: executor)
        let received = try await intake.read(request.body)
        // Only now: a client that sends slowly holds none.
        let answer = try await permits.withPermit {
            let digest = received.file.digest
            let answer = try await judge(received, digest, executor)
            try await log(.file, digest, address, answer.status, answer.captureID)
            return answer
        }
        return (answer, fields)
    }

    private func judge(
        _ received: FileIntake.ReceivedFile, _ digest: ContentDigest, _ executor: BlockingExecutor
    ) async throws -> VerificationAnswer {
        if let known = VerificationAnswer(try await repository.claims(of: digest), digest: digest, publicURL: publicURL) { return known }
        guard let format = received.format else {
            throw APIError(
                .unsupportedMediaType, "The file is no JPEG, PNG, HEIC, WebP, AVIF, TIFF, MP4, MOV or C2PA manifest.")
        }
        if format == .jpeg, let known = VerificationAnswer(try await ours(received.file, executor), digest: digest, publicURL: publicURL) {
            return known
        }
        let info: ManifestInfo
        switch try await inspect(received.file, format) {
        case .unreadable(let reason):
            Counter(label: "rial_inspections_failed_total", dimensions: [("reason", reason.rawValue)]).increment()
            info = ManifestInfo(unreadable: reason.rawValue)
        case .report(let report):
            if report.state == .none { return .noRecord(digest: digest) }
            info = ManifestInfo(report, isDetached: format == .manifest)
        }
        return .credentialsOnly(.init(fileHash: digest, manifestInfo: info, note: info.note))
    }

    /// The captures whose signed copy this is, in whatever other bytes; none for any file but an intact copy of ours.
    private func ours(_ file: ScratchFile, _ executor: BlockingExecutor) async throws -> [Claim] {
        guard let copy = try await executor.run({ OwnCopy(file) }) else { return [] }
        let claims = try await repository.claims(of: copy.store)
        guard !claims.isEmpty, try await executor.run({ copy.isIntact() }) else { return [] }
        return claims
    }

    private func inspect(_ file: ScratchFile, _ format: MediaFormat) async throws -> InspectionOutcome {
        do {
            return try await inspectors.inspect(fileDescriptor: file.descriptor, mediaType: format.mimeType)
        } catch {
            switch error {
            case .busy: throw APIError.retryLater(.serviceUnavailable, "Too many files are being looked at; try again.", seconds: 5)
            case .cancelled: throw CancellationError()
            case .unavailable(let problem):
                logger.error("files cannot be inspected", metadata: ["problem": "\(problem)"])
                throw APIError.retryLater(.serviceUnavailable, "Files cannot be looked at at the moment.", seconds: 30)
            }
        }
    }

    private func log(
        _ method: VerificationRepository.Method, _ digest: ContentDigest, _ address: ClientAddress, _ status: String, _ capture: CaptureID?
    ) async throws {
        Counter(label: "rial_verifications_total", dimensions: [("method", method.rawValue), ("status", status)]).increment()
        try await repository.log(method, digest: digest, network: address.truncated, status: status, capture: capture)
    }
}
