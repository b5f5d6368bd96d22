import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

extension CaptureStore {
    /// Expects that what every row names is there and is what was added, and that there is nothing else.
    func expectWhole(_ when: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let comment = Comment(rawValue: when)
        #expect(try await damagedCaptures().isEmpty, comment, sourceLocation: sourceLocation)
        var wanted: Set<SealedItem> = []
        for capture in try await captures() {
            for (kind, size) in capture.sizes {
                wanted.insert(SealedItem(capture.id, kind))
                do {
                    let bytes = try content(kind, of: capture.id).read(count: .max, at: 0)
                    #expect(Int64(bytes.count) == size, comment, sourceLocation: sourceLocation)
                    let digest = capture.facts.digest(of: kind)
                    #expect(digest == nil || digest == ContentDigest(of: bytes), comment, sourceLocation: sourceLocation)
                } catch {
                    Issue.record("\(kind), \(capture.state.rawValue): \(error), \(when)", sourceLocation: sourceLocation)
                }
            }
        }
        let found = try files.contents()
        #expect(Set(found.items) == wanted, comment, sourceLocation: sourceLocation)
        #expect(found.temporaryNames == [] && found.foreignNames == [], comment, sourceLocation: sourceLocation)
    }

    /// Expects that each body that is lent was recorded.
    func expectLoansRecorded(_ when: String) async throws {
        #expect(try await Set(bodies.names()).isSubset(of: database.lentBodies()), Comment(rawValue: when))
    }

    /// Expects that no body is lent.
    func expectNoLoans(_ when: String) async throws {
        #expect(try bodies.names() == [], Comment(rawValue: when))
        #expect(try await database.lentBodies() == [], Comment(rawValue: when))
    }
}

extension CaptureFacts {
    fileprivate func digest(of kind: SealedKind) -> ContentDigest? {
        switch kind {
        case .photo, .original, .video: photoDigest
        case .hashChain, .originalHashChain: video?.hashChainDigest
        case .depth, .originalDepth: depthDigest
        case .metadata, .payload: metadataDigest
        case .assertion, .thumbnail, .facts, .recording, .originalMetadata: nil
        }
    }
}
