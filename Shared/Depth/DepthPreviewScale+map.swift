public import Models

extension DepthPreviewScale {
    /// From the 2nd to the 98th percentile of the valid pixels, widened about its middle to at least a factor of 2: a flat
    /// wall must look flat, not like a canyon. Without a valid pixel 0.5 m to 5 m. Of a large map the pixels that are measured count.
    public init(_ map: DepthMap) {
        let sorted = map.reduced().metres.filter { DepthMap.isValid(Double($0)) }.sorted()
        guard !sorted.isEmpty else {
            self.init(near: 0.5, far: 5)
            return
        }
        let near = Double(sorted[sorted.count * 2 / 100])
        let far = Double(sorted[min(sorted.count * 98 / 100, sorted.count - 1)])
        let middle = (near * far).squareRoot()
        self.init(near: min(near, middle / 2.0.squareRoot()), far: max(far, middle * 2.0.squareRoot()))
    }
}
