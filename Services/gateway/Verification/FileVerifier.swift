import Blocking
import CaptureProtocol
import Inspection
import Logging
import Metrics
import Models
import Multipart
import NIOCore

/// Verifies an uploaded file.
protocol FileVerifying: Sendable {
    /// - Parameters:
    ///   - body: a multipart body with a part `file`.
    ///   - declaredBytes: the declared size of the whole body; `nil` if unknown.
    /// - Throws: ``VerificationError``, ``RateLimitExceeded``, ``ConcurrencyLimit/Exceeded``, ``VerificationPermits/Busy``,
    ///   ``NoScratchSpace``, `MultipartError`, and what the database and the body throw.
    func verify<Body: AsyncSequence<ByteBuffer, any Error> & Sendable>(
        _ body: Body, boundary: MultipartBoundary, declaredBytes: Int?, from client: ClientAddress
    ) async throws -> FileVerification
}

/// Reads the Content Credentials of files.
protocol FileInspecting: Sendable {
    /// - Parameters:
    ///   - fileDescriptor: a file, which has to stay open until the call returns.
    ///   - mediaType: a MIME type of `MediaFormat`; `nil` to detect it from the file's first bytes.
    func inspect(fileDescriptor: Int32, mediaType: String?) async throws(InspectionError) -> InspectionOutcome
}

extension InspectorPool: FileInspecting {}

/// Verifies a file (SPEC §7): by its digest, else by the manifest store in it, else with the inspector. Files are not kept.
struct FileVerifier: FileVerifying {
    let repository: any VerificationRepository
    let inspectors: any FileInspecting
    /// Limits the files being received.
    let intakes: ConcurrencyLimit
    /// Limits the received files being verified.
    let permits: VerificationPermits
    /// Where files are during verification.
    let scratch: Scratch
    let buckets: any TokenBuckets
    let limits: RateLimits
    let logger: Logger

    func verify<Body: AsyncSequence<ByteBuffer, any Error> & Sendable>(
        _ body: Body, boundary: MultipartBoundary, declaredBytes: Int?, from client: ClientAddress
    ) async throws -> FileVerification {
        if let declaredBytes, declaredBytes > FileIntake.maximumBodyBytes {
            throw VerificationError.fileTooLarge
        }
        let allowance = try await buckets.debit(limits.verifications, client.description)
        let intakePermit = try intakes.acquire(address: client.description)
        defer { intakePermit.release() }
        let executor = scratch.executors[Int.random(in: scratch.executors.indices)]
        let intake = FileIntake(boundary: boundary, folder: scratch.folder, quota: scratch.quota, executor: executor)
        let received = try await intake.read(body)
        // Acquired after the upload, so that slow clients hold no permit.
        return try await permits.withPermit {
            let digest = received.file.digest
            let verdict = try await verdict(on: received, digest, executor)
            try await log(.file, digest, client, verdict)
            return FileVerification(digest: digest, verdict: verdict, allowance: allowance)
        }
    }

    /// Looks a file up by its SHA-256 alone.
    /// - Throws: ``RateLimitExceeded``.
    func lookUp(_ digest: ContentDigest, from client: ClientAddress) async throws -> FileVerification {
        let allowance = try await buckets.debit(limits.hashVerifications, client.description)
        let verdict = FileVerdict(try await repository.claims(of: digest)) ?? .noRecord
        try await log(.hash, digest, client, verdict)
        return FileVerification(digest: digest, verdict: verdict, allowance: allowance)
    }

    private func verdict(
        on received: FileIntake.ReceivedFile, _ digest: ContentDigest, _ executor: BlockingExecutor
    ) async throws -> FileVerdict {
        if let known = FileVerdict(try await repository.claims(of: digest)) { return known }
        guard let format = received.format else { throw VerificationError.unsupportedFormat }
        if let known = FileVerdict(try await claimsOfCopy(received.file, format, executor)) { return known }
        switch try await inspect(received.file, format) {
        case .unreadable(let reason):
            Counter(label: "rial_inspections_failed_total", dimensions: [("reason", reason.rawValue)]).increment()
            return .credentials(ManifestInfo(unreadable: reason.rawValue))
        case .report(let report):
            return report.state == .none ? .noRecord : .credentials(ManifestInfo(report, isDetached: format == .manifest))
        }
    }

    /// The captures of which this file is an intact signed copy, even if its bytes differ from the published ones; empty for all other
    /// files.
    private func claimsOfCopy(_ file: ScratchFile, _ format: MediaFormat, _ executor: BlockingExecutor) async throws -> [Claim] {
        guard let copy = try await executor.run({ OwnCopy(file, format) }) else { return [] }
        let claims = try await repository.claims(of: copy.store)
        guard !claims.isEmpty, try await executor.run({ copy.isIntact() }) else { return [] }
        return claims
    }

    private func inspect(_ file: ScratchFile, _ format: MediaFormat) async throws -> InspectionOutcome {
        do {
            return try await inspectors.inspect(fileDescriptor: file.descriptor, mediaType: format.mimeType)
        } catch {
            switch error {
            case .busy: throw VerificationError.inspectorsBusy
            case .cancelled: throw CancellationError()
            case .unavailable(let problem):
                logger.error("files cannot be inspected", metadata: ["problem": "\(problem)"])
                throw VerificationError.inspectorsUnavailable
            }
        }
    }

    private func log(
        _ method: VerificationMethod, _ digest: ContentDigest, _ client: ClientAddress, _ verdict: FileVerdict
    ) async throws {
        Counter(label: "rial_verifications_total", dimensions: [("method", method.rawValue), ("status", verdict.status)]).increment()
        try await repository.log(
            method, digest: digest, network: client.truncated, status: verdict.status, capture: verdict.captureID)
    }
}
