import CaptureProtocol
import Foundation
import Messaging
import Models
import SimulatedDevice
import TestSupport
import Testing

extension RecordedVideo {
    /// A recording that has just ended, signed by the device: its checkpoints and its end.
    init(of device: inout SimulatedDevice, seconds: Double = 1, seed: UInt8 = 0, location: PreciseLocation? = nil) throws {
        try self.init(
            seconds: seconds, startedAt: Date(timeIntervalSinceNow: -seconds), seed: seed, location: location
        ) { try device.assertion(clientDataHash: $0.bytes) }
    }

    /// The parts of its upload.
    var form: [FormPart] {
        [
            FormPart("video", video, filename: "video.mp4"), FormPart("depth_data", depth), FormPart("hash_chain", chainBytes),
            FormPart("metadata", metadata),
        ] + (assertion.map { [FormPart("assertion", $0)] } ?? [])
    }
}

/// A recording of a rendered scene that decoders can read, signed by another device than the one that recorded it.
struct SignedRecording: Sendable {
    let device: SimulatedDevice
    let form: [FormPart]

    /// - Parameter folder: of an unsigned recording.
    init(_ folder: URL, by device: inout SimulatedDevice) throws {
        func part(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appendingPathComponent(name))) }
        let (video, depth) = (try part("video.mp4"), try part("depth.gz"))
        let (chain, metadata) = (try part("hash-chain.json"), try part("metadata.json"))
        let hash = VideoClientData.final(
            video: ContentDigest(of: video), depth: ContentDigest(of: depth), metadata: ContentDigest(of: metadata),
            hashChain: ContentDigest(of: chain))
        form = [
            FormPart("video", video), FormPart("depth_data", depth), FormPart("hash_chain", chain), FormPart("metadata", metadata),
            FormPart("assertion", try device.assertion(clientDataHash: hash.bytes)),
        ]
        self.device = device
    }

    /// Repeats the upload until it is accepted, as a device on a bad network does.
    func accepted() async throws -> Attempts<(id: String, status: Int)> {
        try await TestClient.current().accepted(form, of: device, to: TestClient.videos)
    }
}

extension LocalStack {
    /// Expects that this is the device's one capture, a video that is complete, and that it has everything exactly once: row, counter,
    /// parts, names, objects, announcement.
    func expectWhole(video id: String, of device: SimulatedDevice, _ what: String) async throws {
        let answer = try await TestClient(url: url).settled(id, within: .seconds(120))
        #expect(answer.evidence("hash_chain.status") == "pass", "\(what)")
        #expect(answer.evidence("hardware_attestation.status") == "pass", "\(what)")
        for table in ["assertion_counters", "attestation_appraisals", "depth_analyses", "sync_jobs"] {
            #expect(try await sql("SELECT count(*) FROM \(table) WHERE capture_id = '\(id)'") == ["1"], "\(table) \(what)")
        }
        let parts = "SELECT part || ' ' || outcome FROM evidence_parts WHERE capture_id = '\(id)' ORDER BY part"
        #expect(try await sql(parts) == ["attestation done", "depth done", "media done"], "\(what)")
        #expect(try await captures(of: device) == 1, "\(what)")
        try await expectMedia(
            id, what,
            names: [
                "c2pa.mp4", "depth-frames.jpg", "depth-preview.png", "depth.gz", "hash-chain.json", "manifest.c2pa", "metadata.json",
                "og.jpg", "original.mp4", "poster.jpg", "thumbnail.jpg",
            ])
        var announced: Set<String> = []
        try await eventually("the video was announced as complete") {
            announced = Set(try await records(of: .evidenceAssembled, key: id).compactMap { $0.header("ce_id") })
            return !announced.isEmpty
        }
        #expect(announced.count == 1, "\(what)")
    }
}
