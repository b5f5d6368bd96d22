import Blocking
import Foundation
import Inspection
import Logging
import Models
import ServiceRuntime
import Synchronization
import TestSupport

@testable import Gateway

/// What files are verified with, in memory.
struct VerifierFixture {
    static let jpeg: [UInt8] = [0xff, 0xd8, 0xff] + [UInt8](repeating: 7, count: 97)
    static let text = Array("neither a photo nor a video".utf8)
    let files = MemoryVerifications()
    let buckets = MemoryTokenBuckets()

    /// Takes one file at a time from an address.
    func verifier(
        _ inspector: ScriptedInspector = ScriptedInspector(), quotaBytes: Int64 = 0,
        permits: VerificationPermits = VerificationPermits(2, queueLimit: 2, timeout: .seconds(30), metric: "test_permits"),
        limits: [String: String] = [:]
    ) throws -> FileVerifier {
        FileVerifier(
            repository: files, inspectors: inspector,
            intakes: ConcurrencyLimit("files", .init(total: 10, perAddress: 1), metric: "test_files"), permits: permits,
            scratch: .init(
                folder: FileManager.default.temporaryDirectory.path, quota: ScratchQuota(bytes: quotaBytes),
                executors: [BlockingExecutor(label: "tests")]),
            buckets: buckets, limits: try RateLimits(ServiceEnvironment(limits)),
            logger: .quiet)
    }

    /// The body of a request with a file, for ``PhotoBody/contentType``.
    static func form(_ file: [UInt8]) -> [UInt8] {
        let head = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
        return Array(head.utf8) + file + Array("\r\n--x--\r\n".utf8)
    }
}

/// Says the same of each file, and notes the types that it was given.
final class ScriptedInspector: FileInspecting {
    private let answer: Result<InspectionOutcome, InspectionError>
    private let asked = Mutex<[String?]>([])
    var mediaTypes: [String?] { asked.withLock { $0 } }

    init(_ answer: Result<InspectionOutcome, InspectionError> = .success(.report(CredentialReport(state: .none)))) {
        self.answer = answer
    }

    func inspect(fileDescriptor: Int32, mediaType: String?) async throws(InspectionError) -> InspectionOutcome {
        asked.withLock { $0.append(mediaType) }
        return try answer.get()
    }
}
