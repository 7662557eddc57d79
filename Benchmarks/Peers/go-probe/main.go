// go-probe makes full HTTPS probes with Go's net/http, each over a connection of its own, and reports what they cost in
// the form that probe-load has.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type summary struct {
	Count           int     `json:"count"`
	Failures        int     `json:"failures"`
	CPUSeconds      float64 `json:"cpuSeconds"`
	ElapsedSeconds  float64 `json:"elapsedSeconds"`
	P50Microseconds float64 `json:"p50Microseconds"`
	P99Microseconds float64 `json:"p99Microseconds"`
	Failure         string  `json:"failure,omitempty"`
}

func main() {
	url := flag.String("url", "", "what is asked")
	caFile := flag.String("ca-file", "", "the certificates to trust, in PEM")
	count := flag.Int("count", 1000, "how many probes are measured")
	concurrency := flag.Int("concurrency", 1, "how many probes are under way at a time")
	warmUp := flag.Int("warm-up", 100, "how many probes go before")
	procs := flag.Int("procs", 0, "GOMAXPROCS; 0 for Go's own choice")
	flag.Parse()
	runtime.GOMAXPROCS(*procs)

	pem, err := os.ReadFile(*caFile)
	if err != nil {
		fail(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		fail(fmt.Errorf("%s holds no certificate", *caFile))
	}
	client := &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives:  true,
			DisableCompression: true,
			TLSClientConfig:    &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		},
		Timeout: 10 * time.Second,
	}

	load(client, *url, *warmUp, *concurrency)
	cpu, started := cpuTime(), time.Now()
	latencies, failures, failure := load(client, *url, *count, *concurrency)
	result := summary{
		Count:          *count,
		Failures:       failures,
		ElapsedSeconds: time.Since(started).Seconds(),
		CPUSeconds:     (cpuTime() - cpu).Seconds(),
		Failure:        failure,
	}
	sort.Slice(latencies, func(i, j int) bool { return latencies[i] < latencies[j] })
	result.P50Microseconds = percentile(latencies, 50)
	result.P99Microseconds = percentile(latencies, 99)
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fail(err)
	}
}

// load makes the probes and returns the latency of each, the failed ones included.
func load(client *http.Client, url string, count, concurrency int) ([]time.Duration, int, string) {
	latencies := make([]time.Duration, count)
	var next, failures int64
	var failure atomic.Value
	var group sync.WaitGroup
	for worker := 0; worker < concurrency; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				index := atomic.AddInt64(&next, 1) - 1
				if index >= int64(count) {
					return
				}
				started := time.Now()
				if err := probe(client, url); err != nil {
					atomic.AddInt64(&failures, 1)
					failure.CompareAndSwap(nil, err.Error())
				}
				latencies[index] = time.Since(started)
			}
		}()
	}
	group.Wait()
	text, _ := failure.Load().(string)
	return latencies, int(failures), text
}

func probe(client *http.Client, url string) error {
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return nil
}

// percentile returns microseconds by the nearest rank.
func percentile(sorted []time.Duration, percent float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(percent/100*float64(len(sorted)))) - 1
	return float64(sorted[rank].Nanoseconds()) / 1000
}

// cpuTime returns the time on a CPU, user and kernel, of all threads that the process ever had.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "go-probe:", err)
	os.Exit(1)
}
