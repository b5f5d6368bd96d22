import CaptureProtocol
import Foundation
import Models
import Multipart
import NIOCore
import ObjectStorage
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("The row of an upload that is refused")
struct BodyIntakeTests {
    /// Which of the requests that store something get no answer, and whether the row stays. The first is the photo's.
    private static let unanswered: [(Set<Int>, Bool)] = [([], false), ([1], true), ([1, 2, 3], true), ([2], true), ([2, 3, 4], true)]

    @Test("stays if the store has not answered to a PUT, which it may still carry out", arguments: unanswered)
    func unansweredPut(unanswered: Set<Int>, stays: Bool) async throws {
        let count = Mutex(0)
        let server = try LoopbackServer { body in
            // A deletion has none.
            guard !body.isEmpty else { return (204, []) }
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard !unanswered.contains(number) else { return nil }
            return (200, [])
        }
        let storage = TestBucket.client(try TestBucket.configuration("tests", endpoint: server.url.absoluteString))
        let rows = MemoryCaptures()
        let incoming = IncomingBody(
            type: .photo, boundary: try MultipartBoundary(contentType: "multipart/form-data; boundary=x"), begun: .now, logger: .quiet)
        let intake = BodyIntake(
            PhotoParts(), of: incoming, storage: storage, intakes: rows, capture: CaptureID(), device: DeviceID())
        let body = "--x\r\nContent-Disposition: form-data; name=\"photo\"\r\n\r\nphoto\r\n--x--\r\n"
        let isRead = (try? await intake.read(bodyStream(Array(body.utf8)))) != nil
        #expect(isRead != unanswered.isSuperset(of: [1, 2, 3]))
        if isRead { try? await intake.keep([1], as: .metadata) }
        await intake.discard()
        #expect(rows.now.intakes.isEmpty != stays)
    }
}

@Suite("The parts of an upload that its kind does not have")
struct UnknownPartTests {
    private func read(_ size: Int) async throws {
        let incoming = IncomingBody(type: .photo, boundary: try PhotoBody.boundary(), begun: .now, logger: .quiet)
        let intake = BodyIntake(
            PhotoParts(), of: incoming, storage: MemoryObjectStore(), intakes: MemoryCaptures(), capture: CaptureID(), device: DeviceID())
        let head = Array("--x\r\nContent-Disposition: form-data; name=\"comment\"\r\n\r\n".utf8)
        _ = try await intake.read(bodyStream(head + [UInt8](repeating: 1, count: size) + Array("\r\n--x--\r\n".utf8)))
    }

    @Test("are passed over if they have at most 64 KiB")
    func sizes() async throws {
        try await read(5)
        try await read(64 << 10)
        await #expect(throws: CaptureError.invalid("comment", SizeLimits.unknownPartProblem)) { try await read((64 << 10) + 1) }
    }
}
