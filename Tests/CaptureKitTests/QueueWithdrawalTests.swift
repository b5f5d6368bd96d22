import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

@Suite("Captures that were withdrawn on the server")
struct QueueWithdrawalTests {
    @Test("are asked for no more, and what the device has of them stays until its person deletes it", .timeLimit(.minutes(1)))
    func stays() async throws {
        let rig = try QueueRig()
        let server = ScriptedServer { request in
            request.method == "GET"
                ? .json(410, #"{"error":{"code":"GONE","message":"This capture was withdrawn.","withdrawn_on":"2026-11-23"}}"#)
                : .json(201, #"{"data":{"capture_id":"\#(CaptureID())","status":"processing","verification_url":"https://x.example/v/1"}}"#)
        }
        let queue = try await rig.queue(server)
        let id = try await queue.add(SampleContent()).id
        let sending = Task { try await queue.run() }
        var found: StoredCapture?
        for try await snapshot in queue.snapshots {
            found = snapshot.captures.first?.capture
            if found?.isWithdrawn == true { break }
        }
        sending.cancel()
        _ = await sending.result
        #expect(found?.state == .uploaded && found?.facts.isFinal == true && found?.facts.confidence == nil)
        try await queue.store.expire(at: Date().addingTimeInterval(365 * 86_400))
        #expect(try await queue.capture(id).hasContent)
        #expect(try await !queue.content(.photo, of: id).isEmpty)
        try await queue.delete(id)
        await #expect(throws: StoreError.self) { try await queue.capture(id) }
    }
}
