import CaptureProtocol
import Depth
import Foundation
import Imaging
import JPEGMetadata
import Models
import SimulatedDevice
import Testing

/// A hash-only capture, as a device makes it of a photo and its depth map; neither leaves it.
struct PrivateCapture: Sendable {
    let parts: CaptureParts
    let depth: SignedDepth
    /// What the hardware signs.
    var payload: [UInt8]

    /// - Parameter measured: of the same scene; else it is measured.
    init(
        _ parts: CaptureParts, _ measured: SignedDepth? = nil, sharing flags: MetadataFlags = .everything, capturedAt: Date = Date(),
        model: String = "iPhone 15 Pro"
    ) throws {
        self.parts = parts
        depth = try measured ?? Self.measured(parts).signed
        payload = try HashOnlyPayload(
            mediaHash: ContentDigest(of: parts.photo),
            facts: HashOnlyPayload.Facts(
                capturedAt: capturedAt, location: PreciseLocation(latitude: 45.764043, longitude: 4.835659, altitude: 173),
                deviceModel: model, osVersion: "26.1", appVersion: "1.0.0"), sharing: flags, depth: depth
        ).bytes()
    }

    var mediaHash: ContentDigest { ContentDigest(of: parts.photo) }
    var text: String { String(decoding: payload, as: UTF8.self) }

    /// With the payload's text changed, before it is signed.
    func replacing(_ part: String, with other: String) throws -> PrivateCapture {
        var changed = self
        changed.payload = Array(text.replacing(part, with: other).utf8)
        try #require(changed.payload != payload, "\(part)")
        return changed
    }

    func body(_ device: inout SimulatedDevice, counter: UInt32? = nil) throws -> [UInt8] {
        let assertion = try device.assertion(clientDataHash: HashOnlyClientData.hash(payload: payload).bytes, counter: counter)
        return HashOnlyBody(payload: payload, assertion: assertion).bytes()
    }

    /// As the device library measures.
    private static func measured(_ parts: CaptureParts) throws -> DepthMeasurements {
        let metadata = try CaptureMetadata.parse(parts.metadata)
        let map = try DepthMapDecoder.decode(parts.depth, width: metadata.depthWidth, height: metadata.depthHeight)
        let gray = try PhotoVariants(parts.photo).luma(covering: DepthMap.measuredSize(width: map.width, height: map.height))
        let exif = EXIFReader.read(jpeg: parts.photo)
        return DepthAnalysis.analyze(
            depth: map, luma: try LumaImage(width: gray.width, height: gray.height, pixels: gray.pixels),
            exifOrientation: exif?.orientation)
    }
}

extension TestClient {
    /// Signs and sends the body of a hash-only capture.
    func submitPrivate(
        _ device: inout SimulatedDevice, _ body: [UInt8], version: Int = 2,
        change: (inout [(String, String)], inout [UInt8]) -> Void = { _, _ in }
    ) async throws -> Answer {
        var body = body
        var headers = try device.requestHeaders(
            method: "POST", path: TestClient.captures, bodyDigest: ContentDigest(of: body), version: version
        ).map { ($0.name, $0.value) }
        headers.append(("Content-Type", "application/json"))
        change(&headers, &body)
        return try await send("POST", TestClient.captures, headers: headers, body: body)
    }

    /// Sends a valid hash-only capture and returns its id.
    func capture(_ device: inout SimulatedDevice, _ capture: PrivateCapture, counter: UInt32? = nil) async throws -> String {
        let answer = try await submitPrivate(&device, capture.body(&device, counter: counter))
        #expect(answer.status == 201, "\(answer.text)")
        return try #require(answer.data["capture_id"] as? String)
    }
}
