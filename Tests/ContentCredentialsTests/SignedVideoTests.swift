import Blocking
import CaptureProtocol
import Foundation
import ManifestStore
import Models
import Movie
import Site
import TestSupport
import Testing

@testable import ContentCredentials

/// Signed copies of videos as the library reads them back (SPEC §10.7, §10.9).
@Suite("Signed videos")
struct SignedVideoTests {
    private struct Signed {
        let fixture: Fixture
        let recording: RecordedVideo
        let copy: [UInt8]
        let result: SignedFile

        /// - Parameter sample: of the page's videos, whose evidence is signed.
        init(_ sample: String = "whole") throws {
            fixture = try Fixture()
            recording = try RecordedVideo(seconds: 2, startedAt: Fixture.capturedAt)
            (copy, result) = try fixture.sign(video: recording.video, sample)
        }

        func report(_ bytes: [UInt8]) throws -> CredentialReport { try fixture.read(bytes, mediaType: "video/mp4") }
    }

    @Test("have the credentials in a box of their own, the same samples, and nothing else")
    func boxes() throws {
        let signed = try Signed()
        #expect(TestBox.file(signed.copy).children.map(\.type) == ["ftyp", "uuid", "moov", "mdat"])
        let movie = try Movie(file: signed.copy)
        func bytes(_ samples: [MovieSample]) -> [[UInt8]] {
            samples.map { Array(signed.copy[Int($0.range.lowerBound)..<Int($0.range.upperBound)]) }
        }
        #expect(bytes(movie.video.samples) == signed.recording.frames)
        #expect(bytes(movie.sound?.samples ?? []) == signed.recording.packets)
        #expect(movie.video.format == signed.recording.format)
    }

    @Test("are trusted, bound by their boxes, with the actions and our five assertions", arguments: ["whole", "partial"])
    func assertions(sample: String) throws {
        let signed = try Signed(sample)
        let report = try signed.report(signed.copy)
        #expect(report.state == .trusted)
        let labels = Set(report.assertions.map(\.label))
        #expect(
            labels == [
                "c2pa.actions.v2", "c2pa.hash.bmff.v3", "app.rial.attestation", "app.rial.depth_analysis", "app.rial.confidence",
                "app.rial.hash_chain", "app.rial.video",
            ])
        let chain = try data("app.rial.hash_chain", in: report)
        #expect(chain["verified_duration_ms"] as? Int == (sample == "whole" ? 12_500 : 10_000) && chain["duration_ms"] as? Int == 12_500)
        #expect(chain["reason"] as? String == (sample == "whole" ? nil : "partial"))
        let video = try data("app.rial.video", in: report)
        #expect(video["frame_count"] as? Int == 375 && video["codec"] as? String == "h264" && video["width"] as? Int == 1920)
        #expect(video["started_at"] != nil && (video["ended_at"] != nil) == (sample == "whole"))
        let depth = try data("app.rial.depth_analysis", in: report)
        #expect(depth["keyframes"] as? Int == 125 && depth["frame_analyses"] == nil)
    }

    @Test("have the store that was recorded at signing, whose binding is the hash of what plays, box by box")
    func identity() throws {
        let signed = try Signed()
        let embedded = try #require(
            EmbeddedVideoStore(fileLength: Int64(signed.copy.count)) { Array(signed.copy[Int($0.lowerBound)..<Int($0.upperBound)]) })
        #expect(embedded.bytes == signed.result.manifest)
        let identity = try #require(StoreIdentity(embedded.bytes))
        #expect(identity.label == signed.result.manifestID && identity.binding == nil)
        let binding = try #require(identity.boxBinding)
        let covered = embedded.others.filter(binding.covers)
        #expect(covered.map { String(decoding: $0.type, as: UTF8.self) } == ["moov", "mdat"])
        let hashed = covered.flatMap { box in
            be64(Int(box.range.lowerBound)) + signed.copy[Int(box.range.lowerBound)..<Int(box.range.upperBound)]
        }
        #expect(ContentDigest(of: hashed) == binding.sha256)
    }

    @Test("are invalid for one changed byte of a sample, of the tables, or of the credentials, and for bytes that are cut off")
    func tampered() throws {
        let signed = try Signed()
        let movie = try Movie(file: signed.copy)
        let sample = Int(try #require(movie.video.samples.last).offset)
        for offset in [sample, Int(movie.moov.lowerBound) + 30, signed.copy.count - 1] {
            let report = try signed.report(signed.copy.changed(at: offset))
            #expect(report.state == .invalid)
            #expect(report.validationCodes.contains { $0.code == "assertion.bmffHash.mismatch" && $0.kind == .failure }, "\(offset)")
        }
        let claimed = try #require(signed.copy.offset(ofLast: "secure_enclave"))
        #expect(try signed.report(signed.copy.changed(at: claimed)).state == .invalid)
        #expect(try signed.report(Array(signed.copy.dropLast(5))).state != .trusted)
    }

    @Test("a disk that fails is told from a video that cannot be signed", arguments: [true, false])
    func scratch(isSource: Bool) throws {
        let fixture = try Fixture()
        let claim = fixture.claim(try #require(Samples.video(named: "whole").evidence))
        // Takes nothing: "no space left on device".
        let full = open("/dev/full", O_RDWR)
        try #require(full >= 0)
        defer { close(full) }
        let writer = try CredentialWriter(signer: fixture.signer, timestampAuthority: nil)
        let bytes = try RecordedVideo(seconds: 1, startedAt: Fixture.capturedAt).video
        let file = try NamelessFile()
        do {
            _ = try writer.sign(
                claim, videoLength: Int64(bytes.count),
                read: { offset, target in
                    guard !isSource else { return -1 }
                    let part = bytes.dropFirst(Int(offset)).prefix(target.count)
                    part.withUnsafeBytes { target.copyMemory(from: $0) }
                    return part.count
                }, into: isSource ? file.descriptor : full)
            Issue.record("signed")
        } catch {
            guard case .scratch = error else { throw error }
        }
    }

    private func data(_ label: String, in report: CredentialReport) throws -> [String: Any] {
        let text = try #require(report.assertions.first { $0.label == label }?.data)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
}

extension Fixture {
    /// The signed copy of a video, made as `evidence-assembler` makes it: from the copy for the public.
    /// - Parameter sample: of the page's videos, whose evidence is signed.
    func sign(video: [UInt8], _ sample: String = "whole") throws -> (copy: [UInt8], result: SignedFile) {
        let plan = PublicMovie(try Movie(file: video), startedAt: Fixture.capturedAt)
        var source = plan.head
        for range in plan.ranges { source += video[Int(range.lowerBound)..<Int(range.upperBound)] }
        let bytes = source
        let file = try NamelessFile()
        let claim = claim(try #require(Samples.video(named: sample).evidence))
        let result = try CredentialWriter(signer: signer, timestampAuthority: nil).sign(
            claim, videoLength: Int64(bytes.count),
            read: { offset, target in
                let part = bytes.dropFirst(Int(offset)).prefix(target.count)
                part.withUnsafeBytes { target.copyMemory(from: $0) }
                return part.count
            }, into: file.descriptor)
        return (try file.bytes(0..<file.size()), result)
    }
}
