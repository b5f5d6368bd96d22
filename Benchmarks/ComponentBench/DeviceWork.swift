import CaptureKit
import CaptureProtocol
import Crypto
import Foundation
import Imaging
import Scene

/// What the device does with a capture before it is sent: a photo of 3 MB, a depth map of 256 × 192.
///
/// Sealing is compared with one AES-256-GCM and one SHA-256 of the same bytes. It is measured without a file, whose writing costs the
/// kernel as much as the cipher, and again with one in memory.
struct DeviceWork {
    private static let photoBytes = 3_000_000

    private let frame: CapturedFrame
    private let processed: ProcessedFrame

    init() throws {
        let (scene, size) = try Self.scene()
        let plane = try DepthPlane(bytes: scene.depthBytes, width: size.width, height: size.height)
        frame = CapturedFrame(
            jpeg: scene.jpeg, depth: plane, luma: try Self.luma(of: scene.jpeg), capturedAt: Date(), orientation: .up)
        processed = try Self.process(frame)
    }

    func print() async throws {
        let megabytes = String(format: "%.1f MB", Double(processed.photo.count) / 1e6)
        Table.row("frame processing, \(megabytes) and \(frame.depth?.width ?? 0)×\(frame.depth?.height ?? 0)", frameProcessing())
        Table.row("privacy mode, frame and depth analysis", privateProcessing())
        let bare = bareSealing()
        Table.row("AES-256-GCM and SHA-256 of \(megabytes) alone", bare)
        Table.row("sealing \(megabytes)", sealing(in: "/", DiscardingFiles()), bare: bare)
        let memory = try BenchFolder(in: URL(fileURLWithPath: "/dev/shm"))
        Table.row("the same into a file in memory", sealing(in: memory.path, PosixFiles()), bare: bare)
        let disk = try BenchFolder(in: FileManager.default.temporaryDirectory)
        Table.row("CaptureStore.add on disk, elapsed", try await storing(in: disk))
    }

    private func frameProcessing() -> Double { ProcessorTime.measure { (try? Self.process(frame)) != nil } }

    /// With the brightness as large as the camera's.
    private func privateProcessing() -> Double {
        let settings = PrivacySettings(isOn: true, flags: .everything)
        return ProcessorTime.measure {
            guard case .hashOnly(let capture) = try? FrameProcessor().process(frame, on: BenchPhone(), location: nil, privacy: settings)
            else { return false }
            return capture.measurements.verdict == .real
        }
    }

    private func bareSealing() -> Double {
        let (key, photo) = (SymmetricKey(size: .bits256), processed.photo)
        return ProcessorTime.measure {
            let hashed = SHA256.hash(data: photo).withUnsafeBytes { $0.count == 32 }
            return (try? AES.GCM.seal(photo, using: key))?.ciphertext.count == photo.count && hashed
        }
    }

    private func sealing(in folder: String, _ layer: some FileLayer) -> Double {
        let files = SealedFiles(folder: folder, key: SymmetricKey(size: .bits256), files: layer)
        let item = SealedItem(LocalID(UUID()), .photo)
        return ProcessorTime.measure {
            guard let writer = try? files.create(item), (try? writer.write(processed.photo)) != nil else { return false }
            return (try? writer.commit())?.sizeBytes == Int64(processed.photo.count)
        }
    }

    /// The median of the elapsed times, in seconds: most of it is waiting for the disk.
    private func storing(in folder: BenchFolder) async throws -> Double {
        let store = try await CaptureStore.open(in: folder.path + "/store", secrets: FolderSecureStore(folder: folder.path + "/keys"))
        var times: [Double] = []
        for _ in 0..<21 {
            let start = ContinuousClock.now
            let capture = try await store.add(processed) { _ in .none }
            times.append(start.duration(to: .now) / .seconds(1))
            try await store.delete(capture.id)
        }
        try store.close()
        return times.sorted()[times.count / 2]
    }

    private static func process(_ frame: CapturedFrame) throws(FrameError) -> ProcessedFrame {
        try FrameProcessor().process(frame, deviceModel: "iPhone 15 Pro", location: nil)
    }

    /// The photo's brightness in 1920 × 1440, the size of ARKit's video frames.
    private static func luma(of jpeg: [UInt8]) throws -> LumaPlane? {
        let gray = try PhotoVariants(jpeg).luma(covering: (1024, 1024))
        let (width, height) = (1920, 1440)
        let pixels = (0..<width * height).map { index in
            gray.pixels[index / width * gray.height / height * gray.width + index % width * gray.width / width]
        }
        return LumaPlane(pixels: pixels, width: width, height: height)
    }

    /// A room at the first quality at which its photo is large enough.
    private static func scene() throws -> (RenderedScene, depth: (width: Int, height: Int)) {
        for quality in 92...100 {
            var options = SceneOptions(capturedAt: Date())
            options.jpegQuality = quality
            let scene = try SceneRenderer.render(.room, seed: 1, options: options)
            if scene.jpeg.count >= photoBytes { return (scene, (scene.depthWidth, scene.depthHeight)) }
        }
        throw CocoaError(.featureUnsupported)
    }
}

private struct BenchPhone: DeviceInfo {
    let hardwareIdentifier = "iPhone16,1"
    let hasLiDAR = true
    let systemVersion = "18.1"
}

/// A new folder that goes with the object.
private final class BenchFolder {
    let path: String

    init(in parent: URL) throws {
        let url = parent.appending(path: "rial-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Takes what is written and keeps nothing.
private struct DiscardingFiles: FileLayer, WritableFile {
    func createFolder(_ path: String) {}
    func create(_ path: String) -> any WritableFile { self }
    func open(_ path: String) throws(FileError) -> any ReadableFile { throw .missing }
    func rename(_ path: String, to target: String) {}
    func link(_ path: String, to target: String) -> Bool { true }
    func remove(_ path: String) {}
    func names(in folder: String) -> [String] { [] }
    func syncFolder(_ path: String) {}
    func write(_ bytes: [UInt8]) {}
    func sync() {}
}
