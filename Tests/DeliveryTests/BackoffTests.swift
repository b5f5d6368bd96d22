import Blocking
import CaptureProtocol
import Foundation
import Messaging
import Models
import ObjectStorage
import Persistence
import Testing

@testable import Delivery

@Suite("Trying again")
struct BackoffTests {
    @Test("waits grow up to the limit, with jitter, and begin small again after a success")
    func growth() {
        var backoff = Backoff(initial: 0.1, limit: 5)
        let waits = (0..<50).map { _ in backoff.next() }
        #expect(waits.allSatisfy { $0 >= .zero && $0 <= .seconds(5) })
        #expect(waits.dropFirst(20).contains { $0 > .seconds(1) }, "they grow")
        #expect(Set(waits).count > 10, "they are not the same for all")
        backoff.reset()
        #expect(backoff.next() <= .milliseconds(200))
    }

    @Test("only what time can heal is tried for ever")
    func dependencies() {
        struct Odd: Error {}
        #expect(isDependencyFailure(DependencyUnavailable("signer", "away")))
        #expect(isDependencyFailure(ObjectStorageError(.unavailable, "x")))
        // A rotated key or a missing bucket: an operator of the store can correct it.
        for code in [ObjectStorageError.Code.accessDenied, .noSuchBucket, .rejected, .unexplained404] {
            #expect(isDependencyFailure(ObjectStorageError(code, "x")))
        }
        for code in [ObjectStorageError.Code.notFound, .tooLarge, .digestMismatch] {
            #expect(!isDependencyFailure(ObjectStorageError(code, "x")))
        }
        #expect(isDependencyFailure(PostgresError(code: .query, message: "read-only", sqlState: "25006")))
        #expect(!isDependencyFailure(PostgresError(code: .query, message: "not a number", sqlState: "22P02")))
        #expect { try NamelessFile(in: "/does/not/exist") } throws: { isDependencyFailure($0) }
        #expect(!isDependencyFailure(Odd()))
        #expect(!isDependencyFailure(RejectedMessage(.undecodable)))
    }
}
