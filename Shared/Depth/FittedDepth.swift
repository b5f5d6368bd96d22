import CaptureProtocol
public import Models

/// The part of ``DepthAnalysis`` that does not need the photo: statistics, jumps, and the surface fitted to the centre. It takes most of
/// the time, so it can run while the photo is being decoded.
public struct FittedDepth: Sendable {
    private enum Centre {
        case surface(FittedSurface, isScattered: Bool)
        /// Why there is no surface.
        case none(DepthReason)
    }

    /// The map in the size in which it is measured.
    let map: DepthMap
    let statistics: DepthStatistics
    let jumps: DepthJumps
    private let centre: Centre

    /// - Parameter map: with more than `DepthMap.measuredPixels` pixels it is first reduced to its `DepthMap.measuredSize`.
    public init(_ map: DepthMap) {
        let map = map.reduced()
        let (statistics, jumps) = (DepthStatistics(map), DepthJumps(map))
        self.map = map
        self.statistics = statistics
        self.jumps = jumps
        centre = Self.centre(of: map, statistics, jumps)
    }

    private static func centre(of map: DepthMap, _ statistics: DepthStatistics, _ jumps: DepthJumps) -> Centre {
        // 10 × valid < 3 × pixels is coverage < 30 % without rounding.
        guard statistics.valid.count * 10 >= map.metres.count * 3 else { return .none(.tooFewValid) }
        let grid = CentreGrid(map)
        guard grid.validCount >= CentreRelief.leastValid else { return .none(.tooFewValid) }
        // Noise is not fitted: the search would be slow and find no surface.
        guard !jumps.isNoise(validCount: statistics.valid.count), let surface = CentreRelief.surface(of: grid) else {
            return .none(.notASurface)
        }
        return .surface(surface, isScattered: surface.isScattered)
    }

    /// The rotation that is most likely measured: the photo's edges decide only where the sizes leave a choice.
    ///
    /// - Parameters:
    ///   - photo: the photo's size in pixels, as stored; `nil` if it cannot be read.
    ///   - exifOrientation: as of ``DepthAnalysis/analyze(depth:luma:exifOrientation:)``.
    /// - Returns: quarter turns clockwise that bring the map upright, 0...3.
    public func likelyRotation(photo: (width: Int, height: Int)?, exifOrientation: Int?) -> Int {
        DepthOrientation.candidates(depth: (map.width, map.height), photo: photo, exif: exifOrientation)[0].rotation
    }

    /// Whether the upright map is mirrored: left and right change places before it is turned by the rotation. No measurement depends on it.
    ///
    /// - Parameters: as of ``likelyRotation(photo:exifOrientation:)``.
    public func isMirrored(photo: (width: Int, height: Int)?, exifOrientation: Int?) -> Bool {
        DepthOrientation.candidates(depth: (map.width, map.height), photo: photo, exif: exifOrientation)[0].isMirrored
    }

    /// Compares the map with the photo and decides.
    ///
    /// - Parameters: as of ``DepthAnalysis/analyze(depth:luma:exifOrientation:)``.
    public func measurements(luma: LumaImage?, exifOrientation: Int?) -> DepthMeasurements {
        let photo = PhotoEdges.best(map, jumps, luma, exifOrientation)
        let isMetAsSpecified = DepthRule.isMetAsSpecified(
            deviation: statistics.deviation, layers: statistics.layers, coherence: photo.coherence)
        let (verdict, surface, reason) = appraise(isMetAsSpecified: isMetAsSpecified)
        return DepthMeasurements(
            depthVariance: statistics.deviation, depthLayers: statistics.layers, edgeCoherence: photo.coherence,
            minDepth: statistics.minimum, maxDepth: statistics.maximum, relief: surface?.relief, reliefFront: surface?.front,
            reliefBehind: surface?.behind, photoEdgesOnSurface: photo.edges.flatMap { surface?.share(ofEdges: $0, width: map.width) },
            coverage: statistics.coverage, verdict: verdict, specifiedRule: isMetAsSpecified, method: DepthRule.method,
            reason: reason, rotation: photo.rotation)
    }

    /// The verdict alone, the same as that of ``measurements(luma:exifOrientation:)``. The picture's edges are looked for only where they
    /// can change it.
    /// - Parameter luma: brightness of what the map covers, at its size and as it lies; `nil` counts as a picture without edges.
    func appraisal(aligned luma: LumaImage?) -> (verdict: DepthVerdict, relief: Double?, reason: DepthReason?) {
        let (verdict, surface, reason) = appraise(isMetAsSpecified: false)
        guard let luma, verdict != .real, surface != nil,
            DepthRule.isMetAsSpecified(deviation: statistics.deviation, layers: statistics.layers, coherence: 1)
        else { return (verdict, surface?.relief, reason) }
        let coherence = jumps.coherence(with: CannyEdges.find(in: luma), width: map.width)
        let final = appraise(
            isMetAsSpecified: DepthRule.isMetAsSpecified(
                deviation: statistics.deviation, layers: statistics.layers, coherence: coherence))
        return (final.verdict, final.surface?.relief, final.reason)
    }

    private func appraise(isMetAsSpecified: Bool) -> (verdict: DepthVerdict, surface: FittedSurface?, reason: DepthReason?) {
        switch centre {
        case .none(let reason): return (.undecided, nil, reason)
        case .surface(let surface, let isScattered):
            let verdict = DepthRule.verdict(
                relief: surface.relief, front: surface.front, isMetAsSpecified: isMetAsSpecified, reason: nil)
            return verdict == .real && isScattered ? (.undecided, surface, .notASurface) : (verdict, surface, nil)
        }
    }
}
